import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { fail } from '../error/index.ts'
import type { Artifact } from './artifacts.ts'
import { type Hashed, writeAtomically, writeHashed } from './atomic-file.ts'
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
  return {
    index,
    absent: index.entries.filter(({ sha256 }) => !seen.has(sha256)).map(({ id }) => id),
    damaged: index.entries.flatMap(({ id, sha256 }) => {
      const got = seen.get(sha256)
      return got === undefined || got === sha256 ? [] : [{ id, expected: sha256, got }]
    }),
    missing: notIn(index, needed).map(({ id }) => id),
  }
}

/** What is needed and not in the index. Packages are no part of this: a host may have them already, or its own source of them. */
export function notIn(index: BundleIndex, needed: readonly Artifact[]): readonly Artifact[] {
  const keys = new Set(index.entries.map(({ key }) => key))
  return needed.filter((artifact) => {
    const key = checksumKey(artifact)
    return key !== null && !keys.has(key)
  })
}

/** Only the index, which is the first thing in a bundle: quick whatever the size of the rest. */
export async function readBundleIndex(file: string): Promise<BundleIndex> {
  const members = membersOf(file)
  try {
    const { value: first } = await members.next()
    return await indexIn(file, first)
  } finally {
    await members.return(undefined)
  }
}

/** Streams through a bundle: the index first, then every file it holds. */
export async function walkBundle(
  file: string,
  visit: (sha256: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  signal?: AbortSignal,
): Promise<BundleIndex> {
  let index: BundleIndex | null = null
  for await (const member of membersOf(file, signal)) {
    if (index === null) index = await indexIn(file, member)
    else await visit(member.path.slice(blobName('').length), member.bytes())
  }
  return index ?? indexIn(file, undefined)
}

type Member = { readonly path: string; bytes(): AsyncIterable<Uint8Array> }

async function indexIn(file: string, member: Member | undefined): Promise<BundleIndex> {
  if (member?.path !== indexName) throw fail('KX_BUNDLE', { file, why: 'it does not begin with an index' })
  const text = (await readAll(member.bytes())).toString()
  try {
    return indexSchema.parse(JSON.parse(text))
  } catch (error) {
    throw fail('KX_BUNDLE', { file, why: `its index cannot be read: ${error instanceof Error ? error.message : String(error)}` })
  }
}

async function* membersOf(file: string, signal?: AbortSignal): AsyncGenerator<Member, undefined, undefined> {
  await access(file).catch((error: Error) => {
    throw fail('KX_BUNDLE', { file, why: error.message }, { cause: error })
  })
  const input = createReadStream(file, { highWaterMark: 1 << 20 })
  const plain = input.pipe(createZstdDecompress())
  input.on('error', (error) => plain.destroy(error))
  try {
    // Both where a member begins and inside of it: what goes wrong with the reader's own disk is not the bundle's fault.
    for await (const { path, bytes } of readOf(file, readTar(plain), signal)) yield { path, bytes: () => readOf(file, bytes(), signal) }
  } finally {
    input.destroy()
    plain.destroy()
  }
}

/** The same items; when they cannot be read, the error says that the bundle is to blame. */
async function* readOf<T>(file: string, items: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T, undefined, undefined> {
  const each = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await each.next().catch((error: Error) => {
        throw fail('KX_BUNDLE', { file, why: error.message }, { cause: error })
      })
      if (done === true) return
      yield value
    }
  } finally {
    await each.return?.()
  }
}
