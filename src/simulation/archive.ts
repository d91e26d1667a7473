import { gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar'
import { sha256 } from '../util/hash.ts'
import { Content } from './content.ts'
import { makeDirectory, makeLink, writeFile } from './files.ts'
import { refuse } from './refusal.ts'
import type { HostState } from './state.ts'
import { entryAt } from './tree.ts'

/** One thing in an archive. */
export interface Member {
  readonly name: string
  readonly type: 'file' | 'directory' | 'link' | 'hardlink'
  readonly mode: string
  readonly content: Content
  readonly target: string
}

const unpacked = new WeakMap<Content, Promise<readonly Member[]>>()

/** What is in an archive, read once however many hosts unpack it; empty text is no archive, and neither is anything else that is not tar. */
export function membersOf(archive: Content): Promise<readonly Member[]> {
  const known = unpacked.get(archive) ?? unpack(archive)
  unpacked.set(archive, known)
  return known
}

async function unpack(archive: Content): Promise<readonly Member[]> {
  const bytes = decompress(archive.bytes())
  // The magic of a tar header stands at a fixed place; without it there is nothing to read.
  if (Buffer.from(bytes.subarray(257, 262)).toString('latin1') !== 'ustar') throw refuse('tar: This does not look like a tar archive', 2)
  const entries = await unpackTar(bytes)
  return entries.map(({ header, data }) => ({
    name: header.name.replace(/^(\.?\/)+/, '').replace(/\/$/, ''),
    type: header.type === 'directory' ? 'directory' : header.type === 'symlink' ? 'link' : header.type === 'link' ? 'hardlink' : 'file',
    mode: ((header.mode ?? 0o644) & 0o7777).toString(8).padStart(4, '0'),
    content: new Content(data ?? new Uint8Array()),
    target: header.linkname ?? '',
  }))
}

function decompress(bytes: Uint8Array): Uint8Array {
  const [a, b, c, d] = bytes
  try {
    if (a === 0x1f && b === 0x8b) return gunzipSync(bytes)
    if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return zstdDecompressSync(bytes)
  } catch (cause) {
    throw refuse(`tar: Child returned status 1: ${cause instanceof Error ? cause.message : String(cause)}`, 2)
  }
  if (a === 0xfd && b === 0x37 && c === 0x7a) throw refuse('tar: the simulated host cannot read xz archives', 2)
  return bytes
}

interface ExtractOptions {
  readonly strip?: number
  readonly members?: readonly string[]
}

/** Puts the members of an archive into a directory that exists. */
export function extractMembers(
  state: HostState,
  members: readonly Member[],
  into: string,
  { strip = 0, members: wanted }: ExtractOptions,
): HostState {
  const missing = wanted?.find((name) => !members.some((member) => isUnder(member.name, name)))
  if (missing !== undefined) throw refuse(`tar: ${missing}: Not found in archive`, 2)
  const chosen = wanted === undefined ? members : members.filter((member) => wanted.some((name) => isUnder(member.name, name)))
  const stripped = chosen.map((member) => ({ ...member, name: member.name.split('/').slice(strip).join('/') }))
  return stripped.filter(({ name }) => name !== '').reduce((next, member) => extractOne(next, member, into, stripped), state)
}

function extractOne(state: HostState, member: Member, into: string, all: readonly Member[]): HostState {
  if (member.name.split('/').includes('..')) throw refuse(`tar: ${member.name}: Member name contains '..'`, 2)
  const path = `${into === '/' ? '' : into}/${member.name}`
  // A directory that is there keeps its mode: an archive whose top is 0700 must not close /usr/local/bin.
  if (member.type === 'directory')
    return entryAt(state.root, path)?.type === 'directory' ? state : makeDirectory(state, path, { mode: member.mode })
  if (member.type === 'link') return makeLink(state, path, member.target)
  const original = member.type === 'hardlink' ? all.find((other) => member.target.endsWith(other.name)) : member
  return writeFile(state, path, original?.content ?? member.content, { mode: member.mode })
}

const isUnder = (name: string, wanted: string): boolean => {
  const clean = wanted.replace(/^\.\//, '').replace(/\/$/, '')
  return name === clean || name.startsWith(`${clean}/`)
}

/** A gzipped tar archive of these files; those named like programs can be made executable by a mode. */
export async function packArchive(
  files: Readonly<Record<string, { readonly data: string | Uint8Array; readonly mode?: number }>>,
): Promise<Uint8Array> {
  const entries = Object.entries(files).map(([name, { data, mode = 0o644 }]) => {
    const body = typeof data === 'string' ? Buffer.from(data) : data
    return { header: { name, size: body.byteLength, mode, mtime: new Date(0), type: 'file' as const }, body: new Uint8Array(body) }
  })
  return gzipSync(await packTar(entries), { level: 1 })
}

/** An OCI archive of one image for one architecture, as `ctr image import` takes it; its only content is its name. */
export async function packImage(image: string, architecture: string): Promise<Uint8Array> {
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config: {}, layers: [], annotations: { simulated: image } })
  const digest = sha256(manifest)
  const index = {
    schemaVersion: 2,
    manifests: [
      {
        mediaType: manifestType,
        digest: `sha256:${digest}`,
        size: manifest.length,
        platform: { os: 'linux', architecture },
        annotations: { 'io.containerd.image.name': image },
      },
    ],
  }
  const files = {
    'oci-layout': '{"imageLayoutVersion":"1.0.0"}',
    'index.json': JSON.stringify(index),
    [`blobs/sha256/${digest}`]: manifest,
  }
  const entries = Object.entries(files).map(([name, text]) => {
    const body = new Uint8Array(Buffer.from(text))
    return { header: { name, size: body.byteLength, mode: 0o644, mtime: new Date(0), type: 'file' as const }, body }
  })
  return packTar(entries)
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json'

const block = 512

/** The content of one file in an uncompressed tar archive, found without reading the others; null where it is not in it. */
export function fileInTar(bytes: Uint8Array, name: string): Uint8Array | null {
  const text = (from: number, length: number): string =>
    Buffer.from(bytes.subarray(from, from + length))
      .toString('latin1')
      .replace(/\0.*$/s, '')
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12).trim() || '0', 8)
    if (text(at, 100).replace(/^\.\//, '') === name) return bytes.subarray(at + block, at + block + size)
    at += block + Math.ceil(size / block) * block
  }
  return null
}
