import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Millis, seconds } from '../util/time.ts'

/** An answer that goes on. */
export interface Stream {
  /** Aborted when the client has gone, or the server ends. */
  readonly closed: AbortSignal
  /** Resolves when the client takes more: one that does not is not written to without end. */
  write(text: string): Promise<void>
  end(): void
}

/** Proxies close connections on which nothing comes. */
const beatEvery: Millis = seconds(15)

/** Takes over an answer, to send it piece by piece. */
export function openStream(request: FastifyRequest, reply: FastifyReply, type: string): Stream {
  const closed = new AbortController()
  const { raw } = reply
  reply.hijack()
  // Headers of the plugins, such as those that keep browsers safe, are on the reply, not on the socket.
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  raw.flushHeaders()
  raw.socket?.setNoDelay(true)
  const isEvents = type === 'text/event-stream'
  const beat = setInterval(() => {
    if (isEvents && !raw.writableNeedDrain) raw.write(': still here\n\n')
  }, beatEvery)
  const end = (): void => {
    clearInterval(beat)
    closed.abort()
    raw.end()
  }
  raw.once('close', end)
  // An error of the socket is followed by its close.
  raw.on('error', () => {})
  request.raw.on('error', () => {})
  return {
    closed: closed.signal,
    write: async (text) => {
      if (text === '' || closed.signal.aborted || raw.write(text)) return
      try {
        await once(raw, 'drain', { signal: closed.signal })
      } catch {
        // Gone while we waited: the caller looks at `closed`.
      }
    },
    end,
  }
}
