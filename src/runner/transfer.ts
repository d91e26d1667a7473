import { createHash } from 'node:crypto'
import { type Stats, writeSync } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../error/index.ts'
import { quote as q } from './command.ts'
import { uploadScript } from './file-scripts.ts'
import { fileFailure, type Hands } from './hands.ts'
import type { FileAttributes } from './runner.ts'

// Measured best with `cat` over one exec channel.
const chunkSize = 1024 * 1024

/** Streams a local file to the host, unless the same file is there already. */
export async function upload(
  hands: Hands,
  localPath: string,
  path: string,
  attributes: FileAttributes & { readonly sha256?: string },
): Promise<void> {
  const before = await statLocal(localPath)
  const { size } = before
  const hash = attributes.sha256 ?? (await hashOfFile(localPath, hands.scope.signal))
  const answer = Promise.withResolvers<'same' | 'send' | 'ended'>()
  let heard = ''
  async function* source(): AsyncIterable<Uint8Array> {
    // The host looks at what it has first: a file that is there is not sent.
    if ((await answer.promise) !== 'send') return
    let sent = 0
    hands.scope.onProgress?.(sent, size)
    for await (const chunk of chunksOf(localPath, hands.scope.signal)) {
      // The host takes for granted that it gets what the hash says. Without the last bytes it keeps nothing.
      if (sent + chunk.length >= size) await refuseIfChanged(localPath, before)
      yield chunk
      sent += chunk.length
      hands.scope.onProgress?.(sent, size)
    }
  }
  try {
    await hands.change(uploadScript(path, size, hash, attributes), {
      stdin: source(),
      onStdout: (chunk) => {
        heard += Buffer.from(chunk).toString()
        if (heard.startsWith('same') || heard.startsWith('send')) answer.resolve(heard.slice(0, 4) as 'same' | 'send')
      },
      orElse: fileFailure('uploading', path),
    })
  } finally {
    answer.resolve('ended')
  }
  if (heard.startsWith('same')) hands.scope.onProgress?.(size, size)
}

/** Brings a file of the host to this machine, whole or not at all. */
export async function download(hands: Hands, path: string, localPath: string): Promise<void> {
  const temporary = `${localPath}.${process.pid}.part`
  try {
    await mkdir(dirname(localPath), { recursive: true })
    await using file = await open(temporary, 'w', 0o600)
    await receive(hands, path, file.fd)
    await rename(temporary, localPath)
  } catch (thrown) {
    await rm(temporary, { force: true })
    if ((thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown
    refuseLocal(localPath, thrown as Error)
  }
}

async function receive(hands: Hands, path: string, file: number): Promise<void> {
  let size = -1
  let head = Buffer.alloc(0)
  let done = 0
  const take = (chunk: Uint8Array): void => {
    // Written at once, so that a slow disk slows the sender down and memory stays small.
    writeSync(file, chunk)
    done += chunk.length
    hands.scope.onProgress?.(done, size)
  }
  await hands.ask(`stat -c %s -- ${q(path)} && cat -- ${q(path)}`, {
    keep: 4096,
    onStdout: (chunk) => {
      if (size >= 0) return take(chunk)
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\n')
      if (end < 0) return
      size = Number(head.subarray(0, end).toString())
      take(head.subarray(end + 1))
    },
    orElse: fileFailure('downloading', path),
  })
  if (done === size) return
  const why = `it changed meanwhile: ${done} bytes came, ${size} were announced`
  throw fail('KX_FILE', { action: 'downloading', path, why }, { where: { host: hands.host } })
}

const statLocal = (path: string): Promise<Stats> => stat(path).catch((thrown: Error) => refuseLocal(path, thrown))

async function refuseIfChanged(path: string, before: Stats): Promise<void> {
  const now = await statLocal(path)
  if (now.size !== before.size || now.mtimeMs !== before.mtimeMs) refuseLocal(path, new Error('it changed while it was being sent'))
}

async function hashOfFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunksOf(path, signal)) hash.update(chunk)
  return hash.digest('hex')
}

/** A file's bytes; the memory of a chunk is used again once the next but one is asked for. */
async function* chunksOf(path: string, signal: AbortSignal): AsyncIterable<Buffer> {
  const file = await open(path, 'r').catch((thrown: Error) => refuseLocal(path, thrown))
  // New memory for every chunk would cost more than the encryption of what is in it.
  const [first, second] = [Buffer.allocUnsafe(chunkSize), Buffer.allocUnsafe(chunkSize)]
  const read = (into: Buffer): Promise<{ bytesRead: number; buffer: Buffer }> => file.read(into, 0, chunkSize)
  // One chunk ahead: the disk works while the last one is encrypted.
  let next = read(first)
  try {
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead, buffer } = await next
      if (bytesRead === 0) return
      next = read(buffer === first ? second : first)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await Promise.allSettled([next])
    await file.close()
  }
}

function refuseLocal(path: string, thrown: Error): never {
  throw fail('KX_LOCAL_FILE', { path, why: thrown.message }, { cause: thrown })
}
