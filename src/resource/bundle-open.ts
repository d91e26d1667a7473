import { stat } from 'node:fs/promises'
import { fail } from '../error/index.ts'
import type { Artifact } from './artifacts.ts'
import { writeHashed } from './atomic-file.ts'
import { type BundleIndex, notIn, readBundleIndex, walkBundle } from './bundle.ts'
import type { ArtifactCache } from './cache.ts'
import { announcedHash, checksumKey, demandSpace, type Provided } from './provision.ts'

/** A bundle a run takes all its artifacts from. What the cache holds besides does not count: the bundle alone says what is what. */
export interface OpenedBundle {
  readonly file: string
  readonly index: BundleIndex
  /** Refuses the bundle when it lacks something, naming all of it, or has something else than the catalogue says it is. */
  demand(needed: readonly Artifact[]): void
  /** The artifact, if it is unpacked. */
  find(artifact: Artifact): Promise<Provided | null>
  /** Puts everything into the cache that is not there yet, each file proven on its way. A second call waits for the first. */
  unpack(options?: { readonly signal?: AbortSignal; onBytes?(done: number, total: number): void }): Promise<void>
}

/** Opens a bundle for a run: only its index is read. */
export async function openBundle(file: string, cache: ArtifactCache): Promise<OpenedBundle> {
  const index = await readBundleIndex(file)
  const hashes = new Map(index.entries.map(({ key, sha256 }) => [key, sha256]))
  const hashOf = (artifact: Artifact): string | null => hashes.get(checksumKey(artifact) ?? '') ?? null
  let unpacking: Promise<void> | null = null
  return {
    file,
    index,
    demand: (needed) => {
      refuseWhatLacks(file, notIn(index, needed))
      for (const artifact of needed) {
        const [expected, got] = [announcedHash(artifact), hashOf(artifact)]
        if (expected !== null && got !== null && got !== expected)
          throw fail('KX_CHECKSUM', { what: `${artifact.id} in ${file}`, expected, got })
      }
    },
    find: async (artifact) => {
      const sha256 = hashOf(artifact)
      const path = sha256 === null ? null : await cache.find(sha256)
      return sha256 === null || path === null ? null : { artifact, path, sha256, size: (await stat(path)).size }
    },
    unpack: async (options = {}) => {
      unpacking ??= unpackInto(cache, file, index, options)
      try {
        await unpacking
      } catch (error) {
        // One who tries again, after a full disk for example, begins again.
        unpacking = null
        throw error
      }
    },
  }
}

function refuseWhatLacks(file: string, lacking: readonly Artifact[]): void {
  const [first] = lacking
  if (first === undefined) return
  const seen = lacking.map(({ id, hosts }) => `${id}  needed by ${hosts.join(', ')}`).join('\n')
  throw fail('KX_BUNDLE_LACKS', { file, what: first.id, more: lacking.length - 1 }, { seen })
}

async function unpackInto(
  cache: ArtifactCache,
  file: string,
  index: BundleIndex,
  { signal, onBytes = () => {} }: { readonly signal?: AbortSignal; onBytes?(done: number, total: number): void },
): Promise<void> {
  const sizes = new Map(index.entries.map(({ sha256, size }) => [sha256, size]))
  const missing = new Set<string>()
  for (const sha256 of sizes.keys()) if ((await cache.find(sha256)) === null) missing.add(sha256)
  // A bundle whose every file is here, proven, need not be read again.
  if (missing.size === 0) return
  const total = [...missing].reduce((sum, sha256) => sum + (sizes.get(sha256) ?? 0), 0)
  await demandSpace(cache.root, total)
  let done = 0
  const told = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      signal?.throwIfAborted()
      done += chunk.length
      onBytes(done, total)
      yield chunk
    }
  }
  await walkBundle(
    file,
    async (expected, bytes) => {
      if (!missing.delete(expected)) return
      await cache.make(async (path) => {
        const hashed = await writeHashed(path, told(bytes))
        if (hashed.sha256 !== expected)
          throw fail('KX_CHECKSUM', { what: `${nameIn(index, expected)} in ${file}`, expected, got: hashed.sha256 })
        return hashed
      })
    },
    signal,
  )
  const [absent] = missing
  if (absent !== undefined) throw fail('KX_BUNDLE', { file, why: `${nameIn(index, absent)} is in its index, but not in it` })
}

const nameIn = ({ entries }: BundleIndex, sha256: string): string => entries.find((entry) => entry.sha256 === sha256)?.id ?? sha256
