import type { Readable } from 'node:stream'

/** So many bytes may wait for their reader before the source is asked to pause. */
const ahead = 4 << 20

/**
 * Starts to read a body at once and gives every byte that arrived, then the error that ended it.
 * A stream itself throws away what has arrived but not been read when its connection breaks, and a resumed download would have to fetch that again.
 */
export function keepArriving(body: Readable): AsyncIterable<Buffer> {
  const chunks: Buffer[] = []
  let waiting = 0
  let ended = false
  let error: Error | null = null
  let wake = (): void => {}
  body.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    waiting += chunk.length
    if (waiting > ahead) body.pause()
    wake()
  })
  body.on('error', (reason: Error) => {
    error ??= reason
    wake()
  })
  body.on('close', () => {
    ended = true
    wake()
  })
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const chunk = chunks.shift()
        if (chunk !== undefined) {
          waiting -= chunk.length
          if (waiting <= ahead && body.isPaused()) body.resume()
          yield chunk
        } else if (error !== null) throw error
        else if (ended) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}
