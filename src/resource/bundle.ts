import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { fail } from '../error/index.ts'
import type { Artifact } from './artifacts.ts'
import { type Hashed, writeAtomically, writeHashed } from './atomic-file.ts'
import type { ArtifactCache } from './cache.ts'
import { readAll } from './oci/types.ts'
import { checksumKey, type Provided } from './provision.ts'
import { bytesEntry, fileEntry, readTar, type TarEntry, writeTar } from './tar.ts'

const entrySchema = z.strictObject({
  id: z.string(),
  /** What a run looks the hash up by. */
  key: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.number().int().nonnegative(),
})

const indexSchema = z.strictObject({ version: z.literal(1), cluster: z.string(), entries: z.array(entrySchema) })

/** One file of a bundle. */
export type BundleEntry = Readonly<z.infer<typeof entrySchema>>
/** What a bundle holds: the first member of its archive. */
export interface BundleIndex {
  readonly version: 1
  readonly cluster: string
  readonly entries: readonly BundleEntry[]
}

const indexName = 'kubexm-bundle.json'
const blobName = (sha256: string): string => `artifacts/${sha256}`

/** Writes everything a cluster needs into one file: an index with every hash, then each file once. The same artifacts give the same bytes. */
export async function createBundle(
  file: string,
  cluster: string,
  provided: readonly Provided[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<Hashed & { readonly index: BundleIndex }> {
  const entries = provided
    .flatMap(({ artifact, sha256, size }) => {
      const key = checksumKey(artifact)
      return key === null ? [] : [{ id: artifact.id, key, sha256, size }]
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const index: BundleIndex = { version: 1, cluster, entries }
  const paths = new Map(provided.map(({ sha256, path }) => [sha256, path]))
  const members = async function* (): AsyncGenerator<TarEntry> {
    yield bytesEntry(indexName, `${JSON.stringify(index, null, 2)}\n`)
    for (const [sha256, path] of [...paths].sort(([a], [b]) => (a < b ? -1 : 1))) yield await fileEntry(blobName(sha256), path, 0o644)
  }
  // Not with several workers: Node's zlib then ends the stream before the last of them is done.
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } })
  const hashed = await writeAtomically(file, async (temporary) => {
    const [result] = await Promise.all([
      writeHashed(temporary, compress, options),
      pipeline(
        Readable.from(writeTar(members()), { objectMode: false }),
        compress,
        options.signal === undefined ? {} : { signal: options.signal },
      ),
    ])
    return result
  })
  return { ...hashed, index }
}

/** What a check of a bundle found: nothing in any list means it is whole and enough. */
export interface BundleCheck {
  readonly index: BundleIndex
  /** In the index, but not in the archive. */
  readonly absent: readonly string[]
  /** In the archive with other bytes than the index says. */
  readonly damaged: readonly { readonly id: string; readonly expected: string; readonly got: string }[]
  /** Needed by the config, but not in the index. */
  readonly missing: readonly string[]
}

/** Reads a bundle from end to end, hashes every file, and compares with what a config needs. */
export async function verifyBundle(file: string, needed: readonly Artifact[] = []): Promise<BundleCheck> {
  const seen = new Map<string, string>()
  const index = await walkBundle(file, async (sha256, bytes) => {
    const hash = createHash('sha256')
    for await (const chunk of bytes) hash.update(chunk)
    seen.set(sha256, hash.digest('hex'))
  })
  const has = new Set(index.entries.map(({ id }) => id))
  return {
    index,
    absent: index.entries.filter(({ sha256 }) => !seen.has(sha256)).map(({ id }) => id),
    damaged: index.entries.flatMap(({ id, sha256 }) => {
      const got = seen.get(sha256)
      return got === undefined || got === sha256 ? [] : [{ id, expected: sha256, got }]
    }),
    missing: needed.filter((artifact) => checksumKey(artifact) !== null && !has.has(artifact.id)).map(({ id }) => id),
  }
}

/** Puts a bundle's files into the cache, each proven on its way, so that an offline run finds them there. */
export async function openBundle(file: string, cache: ArtifactCache): Promise<BundleIndex> {
  await mkdir(cache.root, { recursive: true })
  const arrived = new Set<string>()
  const index = await walkBundle(file, async (sha256, bytes) => {
    if ((await cache.find(sha256)) === null) {
      const got = await cache.make((path) => proveWhileWriting(file, sha256, path, bytes))
      arrived.add(got.sha256)
    } else arrived.add(sha256)
  })
  const absent = index.entries.find(({ sha256 }) => !arrived.has(sha256))
  if (absent !== undefined) throw fail('KX_BUNDLE', { file, why: `${absent.id} is in its index, but not in it` })
  for (const { key, sha256 } of index.entries) await cache.checksums.record({ url: key, sha256, from: `bundle of ${index.cluster}` })
  return index
}

async function proveWhileWriting(file: string, expected: string, path: string, bytes: AsyncIterable<Uint8Array>): Promise<Hashed> {
  const hashed = await writeHashed(path, bytes)
  if (hashed.sha256 !== expected) throw fail('KX_CHECKSUM', { what: `${file}: ${blobName(expected)}`, expected, got: hashed.sha256 })
  return hashed
}

/** Streams through a bundle: the index first, then every file it holds. */
async function walkBundle(file: string, visit: (sha256: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>): Promise<BundleIndex> {
  await access(file).catch((error: Error) => {
    throw fail('KX_BUNDLE', { file, why: error.message }, { cause: error })
  })
  let index: BundleIndex | null = null
  const input = createReadStream(file, { highWaterMark: 1 << 20 })
  const plain = input.pipe(createZstdDecompress())
  input.on('error', (error) => plain.destroy(error))
  try {
    for await (const member of readTar(plain)) {
      if (member.path === indexName) index = indexSchema.parse(JSON.parse((await readAll(member.bytes())).toString()))
      else if (index === null) throw fail('KX_BUNDLE', { file, why: 'it does not begin with an index' })
      else await visit(member.path.slice(member.path.lastIndexOf('/') + 1), member.bytes())
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'KubexmError') throw error
    throw fail('KX_BUNDLE', { file, why: error instanceof Error ? error.message : String(error) }, { cause: error })
  } finally {
    input.destroy()
  }
  if (index === null) throw fail('KX_BUNDLE', { file, why: 'it has no index' })
  return index
}
