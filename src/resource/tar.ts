import { createReadStream } from 'node:fs'
import { type FileHandle, stat } from 'node:fs/promises'

const block = 512

/** One member of a tar archive; owner is always root and the time always zero, so that equal contents give equal bytes. */
export interface TarEntry {
  readonly path: string
  readonly mode: number
  readonly content:
    | { readonly type: 'file'; readonly size: number; open(): AsyncIterable<Uint8Array> }
    | { readonly type: 'directory' }
    | { readonly type: 'symlink'; readonly target: string }
}

/** A member whose bytes are in memory. */
export function bytesEntry(path: string, bytes: Uint8Array | string, mode = 0o644): TarEntry {
  const data = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
  return {
    path,
    mode,
    content: {
      type: 'file',
      size: data.length,
      open: async function* () {
        yield data
      },
    },
  }
}

/** A member whose bytes are in a file of this machine. */
export async function fileEntry(path: string, file: string, mode: number): Promise<TarEntry> {
  const { size } = await stat(file)
  return { path, mode, content: { type: 'file', size, open: () => createReadStream(file, { highWaterMark: 1 << 20 }) } }
}

/** Streams a tar archive: GNU format, members in the given order. */
export async function* writeTar(entries: AsyncIterable<TarEntry> | Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield* header(entry)
    if (entry.content.type !== 'file') continue
    let written = 0
    for await (const chunk of entry.content.open()) {
      written += chunk.length
      yield chunk
    }
    if (written !== entry.content.size) throw new RangeError(`${entry.path} has ${written} bytes, not ${entry.content.size}`)
    const rest = written % block
    if (rest !== 0) yield new Uint8Array(block - rest)
  }
  yield new Uint8Array(2 * block)
}

function header(entry: TarEntry): Uint8Array[] {
  const blocks: Uint8Array[] = []
  const name = entry.content.type === 'directory' ? `${entry.path.replace(/\/$/, '')}/` : entry.path
  const target = entry.content.type === 'symlink' ? entry.content.target : ''
  if (Buffer.byteLength(target) > 100) blocks.push(...longName('K', target))
  if (Buffer.byteLength(name) > 100) blocks.push(...longName('L', name))
  const type = entry.content.type === 'file' ? '0' : entry.content.type === 'directory' ? '5' : '2'
  blocks.push(rawHeader(name, target, type, entry.mode, entry.content.type === 'file' ? entry.content.size : 0))
  return blocks
}

/** GNU's way to carry a name of more than 100 bytes: a member of its own before the real one. */
function longName(type: 'K' | 'L', text: string): Uint8Array[] {
  const bytes = Buffer.from(`${text}\0`)
  const padded = Buffer.alloc(Math.ceil(bytes.length / block) * block)
  bytes.copy(padded)
  return [rawHeader('././@LongLink', '', type, 0o644, bytes.length), padded]
}

function rawHeader(name: string, target: string, type: string, mode: number, size: number): Uint8Array {
  const bytes = Buffer.alloc(block)
  Buffer.from(name).copy(bytes, 0, 0, 100)
  bytes.write(octal(mode & 0o7777, 7), 100)
  bytes.write(octal(0, 7), 108)
  bytes.write(octal(0, 7), 116)
  // Eleven octal digits end at 8 GiB; beyond that the size is binary with the top bit set.
  if (size < 8 ** 11) bytes.write(octal(size, 11), 124)
  else {
    bytes.writeUInt8(0x80, 124)
    bytes.writeBigUInt64BE(BigInt(size), 128)
  }
  bytes.write(octal(0, 11), 136)
  bytes.write('        ', 148)
  bytes.write(type, 156)
  Buffer.from(target).copy(bytes, 157, 0, 100)
  bytes.write('ustar  \0', 257)
  bytes.write(
    `${octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  )
  return bytes
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** Where a member's bytes are inside an archive. */
export interface TarMember {
  readonly path: string
  readonly type: 'file' | 'directory' | 'symlink' | 'other'
  readonly mode: number
  readonly offset: number
  readonly size: number
  readonly target: string
}

/** Lists an uncompressed archive by jumping from header to header; no member is read. */
export async function listTar(handle: FileHandle): Promise<readonly TarMember[]> {
  const members: TarMember[] = []
  const bytes = Buffer.alloc(block)
  let position = 0
  let pending: { path?: string; target?: string } = {}
  for (;;) {
    const { bytesRead } = await handle.read(bytes, 0, block, position)
    if (bytesRead < block || bytes.every((byte) => byte === 0)) return members
    const raw = parseHeader(bytes)
    position += block
    if (raw.type === 'L' || raw.type === 'K' || raw.type === 'x' || raw.type === 'g') {
      const text = Buffer.alloc(raw.size)
      await handle.read(text, 0, raw.size, position)
      pending = { ...pending, ...extension(raw.type, text.toString()) }
    } else {
      members.push({ ...describe(raw, pending), offset: position })
      pending = {}
    }
    position += Math.ceil(raw.size / block) * block
  }
}

/** Reads a (decompressed) archive as it streams by: each member with its bytes, which must be consumed or are skipped. */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Omit<TarMember, 'offset'> & { bytes(): AsyncGenerator<Uint8Array> }> {
  const reader = new ByteReader(source)
  let pending: { path?: string; target?: string } = {}
  for (;;) {
    const bytes = await reader.exactly(block)
    if (bytes === null || bytes.every((byte) => byte === 0)) return
    const raw = parseHeader(bytes)
    const padding = Math.ceil(raw.size / block) * block - raw.size
    if (raw.type === 'L' || raw.type === 'K' || raw.type === 'x' || raw.type === 'g') {
      const text = await reader.exactly(raw.size + padding)
      if (text === null) throw new RangeError('the archive ends inside a long name')
      pending = { ...pending, ...extension(raw.type, text.subarray(0, raw.size).toString()) }
      continue
    }
    let left = raw.size
    const bytesOf = async function* (): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const chunk = await reader.upTo(left)
        if (chunk === null) throw new RangeError(`the archive ends inside ${raw.path}`)
        left -= chunk.length
        yield chunk
      }
    }
    yield { ...describe(raw, pending), bytes: bytesOf }
    pending = {}
    for await (const _ of bytesOf());
    await reader.exactly(padding)
  }
}

interface RawHeader {
  readonly path: string
  readonly target: string
  readonly type: string
  readonly mode: number
  readonly size: number
}

function parseHeader(bytes: Buffer): RawHeader {
  const text = (from: number, length: number): string => {
    const end = bytes.indexOf(0, from)
    return bytes.subarray(from, end < 0 || end > from + length ? from + length : end).toString()
  }
  const isPosix = text(257, 6) === 'ustar' && bytes[263] === 0x30
  const prefix = isPosix ? text(345, 155) : ''
  const size = (bytes[124] ?? 0) & 0x80 ? Number(bytes.readBigUInt64BE(128)) : Number.parseInt(text(124, 12).trim() || '0', 8)
  if (Number.isNaN(size)) throw new RangeError('this is not a tar archive')
  const path = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
  return { path, target: text(157, 100), type: text(156, 1) || '0', mode: Number.parseInt(text(100, 8).trim() || '0', 8), size }
}

function extension(type: string, text: string): { path?: string; target?: string } {
  if (type === 'L') return { path: text.replace(/\0.*$/s, '') }
  if (type === 'K') return { target: text.replace(/\0.*$/s, '') }
  const pairs = Object.fromEntries([...text.matchAll(/\d+ ([^=]+)=([^\n]*)\n/g)].map(([, key, value]) => [key, value]))
  return { ...(pairs.path === undefined ? {} : { path: pairs.path }), ...(pairs.linkpath === undefined ? {} : { target: pairs.linkpath }) }
}

function describe(raw: RawHeader, long: { path?: string; target?: string }): Omit<TarMember, 'offset'> {
  const type = raw.type === '0' || raw.type === '7' ? 'file' : raw.type === '5' ? 'directory' : raw.type === '2' ? 'symlink' : 'other'
  return {
    path: (long.path ?? raw.path).replace(/^\.\//, '').replace(/(.)\/$/, '$1'),
    type,
    mode: raw.mode,
    size: raw.size,
    target: long.target ?? raw.target,
  }
}

/** Cuts a stream of chunks into the lengths a parser asks for. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  async upTo(length: number): Promise<Buffer | null> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next()
      if (next.done === true) return null
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length)
    }
    const chunk = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(chunk.length)
    return chunk
  }

  async exactly(length: number): Promise<Buffer | null> {
    const parts: Buffer[] = []
    for (let have = 0; have < length; ) {
      const chunk = await this.upTo(length - have)
      if (chunk === null) return null
      parts.push(chunk)
      have += chunk.length
    }
    return Buffer.concat(parts)
  }
}
