import type { Writable } from 'node:stream'
import type { ExecIo } from './connection.ts'

/** Sends a command's input at the pace it is taken, and ends it. Stops when the command has ended before it took all. */
export async function pump(to: Writable, prefix: string, input: ExecIo['stdin'], ended: Promise<unknown>): Promise<void> {
  let over = false
  const end = (): void => {
    over = true
  }
  const stop = ended.then(end, end)
  const send = async (chunk: string | Uint8Array): Promise<void> => {
    if (over || chunk.length === 0) return
    // Not before it is gone: a source may use its memory for the next one.
    await Promise.race([stop, new Promise<void>((resolve) => to.write(chunk, () => resolve()))])
  }
  await send(prefix)
  if (input !== undefined) {
    if (typeof input === 'string' || input instanceof Uint8Array) await send(input)
    else {
      for await (const chunk of input) {
        if (over) break
        await send(chunk)
      }
    }
  }
  if (!over) to.end()
}
