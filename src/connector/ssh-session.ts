import type { Client, ClientChannel } from 'ssh2'
import type { ExecResult } from './connection.ts'

/** An open session and what becomes of it. */
export interface Session {
  readonly channel: ClientChannel
  /** How the process ended; null while it runs, and for ever when the line broke. */
  readonly result: () => ExecResult | null
  readonly exited: Promise<void>
  readonly closed: Promise<void>
}

/**
 * Asks for a session that runs one line. Gives the error in place of throwing it: a refusal is an ordinary answer here.
 * `lost` must settle when the connection ends.
 */
export async function openSession(client: Client, line: string, lost: Promise<unknown>): Promise<Session | Error> {
  return await new Promise((resolve) => {
    try {
      // Watched from within the callback: the end of a short command can be part of the same packet as the answer to our request.
      client.exec(line, (thrown, channel) => resolve(thrown ?? watch(channel)))
    } catch (thrown) {
      resolve(thrown as Error)
    }
    const onLost = (): void => resolve(new Error('not connected'))
    lost.then(onLost, onLost)
  })
}

function watch(channel: ClientChannel): Session {
  const exited = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  let result: ExecResult | null = null
  channel.on('exit', (code: number | null, signal?: string) => {
    result = code === null ? { code: 128, signal: (signal ?? '').replace(/^SIG/, '') } : { code }
    exited.resolve()
  })
  channel.on('close', () => closed.resolve())
  // What an error of a channel means shows in its close.
  channel.on('error', () => undefined)
  return { channel, result: () => result, exited: exited.promise, closed: closed.promise }
}
