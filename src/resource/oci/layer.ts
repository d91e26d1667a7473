import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { writeHashed } from '../atomic-file.ts'
import { type TarEntry, writeTar } from '../tar.ts'
import { type Descriptor, mediaTypes } from './types.ts'

/** One layer in a file, ready to be put into images. */
export interface Layer {
  readonly descriptor: Descriptor
  /** The digest of the uncompressed tar: what the image's config lists. */
  readonly diffId: string
  readonly file: string
}

/** Writes a layer. Members are sorted, their directories added, owner and time fixed: the same contents give the same digest. */
export async function writeLayer(file: string, entries: readonly TarEntry[], compression: 'none' | 'gzip' = 'none'): Promise<Layer> {
  const diff = createHash('sha256')
  const tar = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of writeTar(withParents(entries))) {
      diff.update(chunk)
      yield chunk
    }
  }
  const source = compression === 'gzip' ? Readable.from(tar(), { objectMode: false }).pipe(createGzip({ level: 6 })) : tar()
  const { sha256, size } = await writeHashed(file, source)
  const mediaType = compression === 'gzip' ? mediaTypes.layerGzip : mediaTypes.layer
  return { descriptor: { mediaType, digest: `sha256:${sha256}`, size }, diffId: `sha256:${diff.digest('hex')}`, file }
}

/** The layer's bytes. */
export const readLayer = (layer: Layer): AsyncIterable<Uint8Array> => createReadStream(layer.file, { highWaterMark: 1 << 20 })

function withParents(entries: readonly TarEntry[]): readonly TarEntry[] {
  const byPath = new Map(entries.map((entry) => [entry.path.replace(/\/$/, ''), entry]))
  for (const path of [...byPath.keys()]) {
    const parts = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= parts.length; depth++) {
      const parent = parts.slice(0, depth).join('/')
      if (!byPath.has(parent)) byPath.set(parent, { path: parent, mode: 0o755, content: { type: 'directory' } })
    }
  }
  return [...byPath].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, entry]) => entry)
}
