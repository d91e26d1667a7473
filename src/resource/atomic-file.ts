import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** What is known of a file once all its bytes have been seen. */
export interface Hashed {
  readonly sha256: string
  readonly size: number
}

/** A name beside `path` that no other process uses; what is written there is not seen under the final name until it is whole. */
export const temporaryBeside = (path: string): string => `${path}.tmp-${process.pid}-${randomBytes(4).toString('hex')}`

/** Runs `write` on a temporary name and gives its result the final name, whole and on the disk; on failure nothing is left. */
export async function writeAtomically<T>(path: string, write: (temporary: string) => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = temporaryBeside(path)
  try {
    const result = await write(temporary)
    await sync(temporary)
    await rename(temporary, path)
    return result
  } catch (error) {
    await rm(temporary, { force: true, recursive: true })
    throw error
  }
}

/** Writes text or bytes under the final name at once. */
export async function writeFileAtomically(path: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  await writeAtomically(path, async (temporary) => {
    const handle = await open(temporary, 'w', mode)
    try {
      await handle.writeFile(data)
    } finally {
      await handle.close()
    }
  })
}

/** Writes a stream to a file and gives back its size and sha256. */
export async function writeHashed(
  path: string,
  source: AsyncIterable<Uint8Array>,
  options: { mode?: number; signal?: AbortSignal } = {},
): Promise<Hashed> {
  const hash = createHash('sha256')
  let size = 0
  const tee = new Transform({
    transform: (chunk: Uint8Array, _encoding, done) => {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(
    Readable.from(source, { objectMode: false, highWaterMark: 1 << 20 }),
    tee,
    createWriteStream(path, { mode: options.mode ?? 0o644 }),
    {
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    },
  )
  return { sha256: hash.digest('hex'), size }
}

/** The size and sha256 of a file as it is on the disk. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<Hashed> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, ...(signal === undefined ? {} : { signal }) })) {
    hash.update(chunk as Uint8Array)
    size += (chunk as Uint8Array).length
  }
  return { sha256: hash.digest('hex'), size }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
