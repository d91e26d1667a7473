import { stat } from 'node:fs/promises'
import { fail, KubexmError } from '../error/index.ts'
import { semaphore } from '../util/semaphore.ts'
import { systemClock } from '../util/time.ts'
import { together } from '../util/together.ts'
import type { Artifact } from './artifacts.ts'
import type { ArtifactCache } from './cache.ts'
import { locate, locateImage, type Origin } from './catalogue.ts'
import type { Catalogue } from './catalogue-schema.ts'
import { type ChecksumQuestion, findChecksum } from './checksum.ts'
import { type DownloadOptions, freeBytesOf } from './download.ts'
import type { HttpClient } from './http.ts'
import { parseReference } from './oci/reference.ts'
import { RegistryClient, type RegistryOptions } from './oci/registry.ts'
import { pullToArchive } from './oci/transfer.ts'
import { archOfProgram } from './program-arch.ts'
import { formatBytes, type Progress, ProgressMeter } from './progress.ts'

/** An artifact that is on this machine, proven. */
export interface Provided {
  readonly artifact: Artifact
  readonly path: string
  readonly sha256: string
  readonly size: number
}

/** Where artifacts come from and go to. */
export interface ProvisionOptions {
  readonly cache: ArtifactCache
  readonly catalogue: Catalogue
  readonly origin: Origin
  readonly http: HttpClient
  /** Nothing is fetched: what is not in the cache is an error. */
  readonly offline?: boolean
  readonly parallel?: number
  readonly signal?: AbortSignal
  /** How a registry is reached; plain `https` without credentials when it says nothing. */
  registry?(name: string): Omit<RegistryOptions, 'registry'> | undefined
  onEvent?(event: ProvisionEvent): void
}

/** What getting artifacts tells. */
export type ProvisionEvent =
  | { readonly type: 'artifact.started' | 'artifact.cached'; readonly id: string }
  | { readonly type: 'artifact.finished'; readonly id: string; readonly size: number }
  | { readonly type: 'artifact.retrying'; readonly id: string; readonly error: KubexmError }
  /** Nobody publishes a checksum of it: the one seen now is kept and must be the same next time. */
  | { readonly type: 'artifact.unverified'; readonly id: string; readonly sha256: string }
  | ({ readonly type: 'progress' } & Progress)

/** The artifact if the cache has it: never opens a connection. */
export async function findArtifact(artifact: Artifact, options: Pick<ProvisionOptions, 'cache'>): Promise<Provided | null> {
  const sha256 = await knownHash(artifact, options.cache)
  const path = sha256 === null ? null : await options.cache.find(sha256)
  return sha256 === null || path === null ? null : { artifact, path, sha256, size: (await stat(path)).size }
}

/** Told how much of an artifact has come; the total is null where its source has not said it. */
type OnBytes = (done: number, total: number | null) => void

/** The artifact on this machine: from the cache, else fetched and proven. */
export async function ensureArtifact(artifact: Artifact, options: ProvisionOptions, onBytes: OnBytes = () => {}): Promise<Provided> {
  const found = await findArtifact(artifact, options)
  if (found !== null) {
    await refuseForeign(found, options)
    options.onEvent?.({ type: 'artifact.cached', id: artifact.id })
    return found
  }
  if (options.offline === true) throw fail('KX_ARTIFACT_OFFLINE', { what: artifact.id })
  options.onEvent?.({ type: 'artifact.started', id: artifact.id })
  const { path, sha256 } = artifact.kind === 'image' ? await pull(artifact, options, onBytes) : await fetchFile(artifact, options, onBytes)
  const { size } = await stat(path)
  const provided = { artifact, path, sha256, size }
  await refuseForeign(provided, options)
  options.onEvent?.({ type: 'artifact.finished', id: artifact.id, size })
  return provided
}

/** Refuses a program that its hosts could not execute: found out here, and not when it is to start on the last of them. */
async function refuseForeign({ artifact, path, sha256 }: Provided, { cache, catalogue, origin }: ProvisionOptions): Promise<void> {
  if (artifact.kind !== 'binary') return
  const { arch, url } = artifact.file
  const seen = await archOfProgram(path)
  if (seen === arch) return
  // Neither it nor its checksum is to be believed again: the right file has another one.
  await Promise.all([cache.drop(sha256), cache.checksums.forget(url)])
  const what = locate(catalogue, url, origin)
  throw fail('KX_PROGRAM_ARCH', { what, arch, seen: seen === null ? 'it is no program' : `it is for ${seen}` })
}

/** All artifacts that can be fetched, several at once; the disk is measured before the first byte. Packages are left to the hosts. */
export async function ensureArtifacts(artifacts: readonly Artifact[], options: ProvisionOptions): Promise<readonly Provided[]> {
  const wanted = artifacts.filter((artifact) => artifact.kind === 'image' || isFetchable(artifact))
  const missing = (
    await Promise.all(wanted.map(async (artifact) => ((await findArtifact(artifact, options)) === null ? [artifact] : [])))
  ).flat()
  const total = options.offline === true ? 0 : await announcedBytes(missing, options)
  await demandSpace(options.cache.root, total)
  const meter = new ProgressMeter(() => systemClock.steady())
  const done = new Map<string, number>()
  const atOnce = semaphore(options.parallel ?? 4)
  const track = (id: string) => (bytes: number) => {
    done.set(id, bytes)
    const sum = [...done.values()].reduce((a, b) => a + b, 0)
    meter.set(sum, total === 0 ? null : Math.max(total, sum))
    options.onEvent?.({ type: 'progress', ...meter.read() })
  }
  return await together(wanted.map((artifact) => atOnce(() => ensureArtifact(artifact, options, track(artifact.id)))))
}

/** What the sources say the missing files weigh; images tell only when they are pulled. */
export async function announcedBytes(artifacts: readonly Artifact[], options: ProvisionOptions): Promise<number> {
  const atOnce = semaphore(8)
  const sizes = await Promise.all(artifacts.map((artifact) => atOnce(() => announcedSize(artifact, options))))
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}

/** The size a source announces, or null; a source that is down is found out by the download, with a better error. */
export async function announcedSize(artifact: Artifact, options: ProvisionOptions): Promise<number | null> {
  if (!isFetchable(artifact)) return null
  const url = locate(options.catalogue, addressOf(artifact), options.origin)
  const response = await options.http.request(url, { method: 'HEAD', ...signalOf(options) }).catch(() => null)
  response?.body.resume()
  const length = response?.headers['content-length']
  return response?.status === 200 && length !== undefined ? Number(length) : null
}

type Fetchable = Exclude<Artifact, { kind: 'image' | 'package' | 'package-file' }>

const isFetchable = (artifact: Artifact): artifact is Fetchable =>
  artifact.kind !== 'image' && artifact.kind !== 'package' && artifact.kind !== 'package-file'

const addressOf = (artifact: Fetchable): string =>
  artifact.kind === 'chart' || artifact.kind === 'manifest' ? artifact.url : artifact.file.url

const imageKey = (image: string, arch: string): string => `oci://${image}?arch=${arch}`

async function knownHash(artifact: Artifact, cache: ArtifactCache): Promise<string | null> {
  if (artifact.kind === 'image') return (await cache.checksums.recall(imageKey(artifact.image, artifact.arch)))?.sha256 ?? null
  if (!isFetchable(artifact)) return null
  return announcedHash(artifact) ?? (await cache.checksums.recall(addressOf(artifact)))?.sha256 ?? null
}

/** The hash that config or catalogue demand of an artifact; null where they leave it to the source. */
export function announcedHash(artifact: Artifact): string | null {
  if (!isFetchable(artifact)) return null
  return artifact.kind === 'chart' || artifact.kind === 'manifest' ? artifact.sha256 : artifact.file.sha256
}

/** The name under which an artifact's hash is kept: how a bundle tells a fresh cache what it holds. */
export function checksumKey(artifact: Artifact): string | null {
  if (artifact.kind === 'package') return null
  if (artifact.kind === 'package-file') return `package:${artifact.os}/${artifact.fileName}`
  return artifact.kind === 'image' ? imageKey(artifact.image, artifact.arch) : addressOf(artifact)
}

async function fetchFile(
  artifact: Artifact,
  options: ProvisionOptions,
  onBytes: OnBytes,
): Promise<{ readonly path: string; readonly sha256: string }> {
  if (!isFetchable(artifact)) throw fail('KX_BUG', { what: `${artifact.id} has no address` })
  const { cache, catalogue, origin, http } = options
  const address = addressOf(artifact)
  const question: ChecksumQuestion =
    artifact.kind === 'chart' || artifact.kind === 'manifest'
      ? { url: address, fileName: address.slice(address.lastIndexOf('/') + 1), sha256: artifact.sha256, checksumUrl: null }
      : { ...artifact.file, checksumUrl: artifact.file.checksumUrl === null ? null : locate(catalogue, artifact.file.checksumUrl, origin) }
  const proven = await cache.checksums.recall(address)
  const sha256 = await findChecksum(question, cache.checksums, http, options.signal)
  const download: DownloadOptions = {
    http,
    ...signalOf(options),
    onProgress: (progress) => onBytes(progress.done, progress.total),
    onRetry: (error) => options.onEvent?.({ type: 'artifact.retrying', id: artifact.id, error }),
  }
  const fetched = await cache.fetch({ url: locate(catalogue, address, origin), sha256 }, download).catch(async (thrown: unknown) => {
    // What no file has had yet may be wrong itself: the next try asks again, when somebody has mended the source.
    if (proven === null && thrown instanceof KubexmError && thrown.code === 'KX_CHECKSUM') await cache.checksums.forget(address)
    throw thrown
  })
  if (sha256 === null) {
    await cache.checksums.record({ url: address, sha256: fetched.sha256, from: 'first download' })
    options.onEvent?.({ type: 'artifact.unverified', id: artifact.id, sha256: fetched.sha256 })
  }
  return fetched
}

async function pull(
  artifact: Extract<Artifact, { kind: 'image' }>,
  options: ProvisionOptions,
  onBytes: OnBytes,
): Promise<{ readonly path: string; readonly sha256: string }> {
  const { registry, repository, tag, digest } = parseReference(locateImage(options.catalogue, artifact.image, options.origin))
  const plain = options.origin.imageMirror?.startsWith('http://') === true ? { plainHttp: true } : {}
  using client = new RegistryClient({ registry, ...plain, ...options.registry?.(registry), ...signalOf(options) })
  const from = { repository, reference: digest ?? tag, architectures: [artifact.arch] }
  let imageDigest = ''
  const made = await options.cache.make(async (file) => {
    const pulled = await pullToArchive(client, from, { file, name: artifact.image, onBytes, ...signalOf(options) })
    imageDigest = pulled.digest
    return pulled
  })
  await options.cache.checksums.record({ url: imageKey(artifact.image, artifact.arch), sha256: made.sha256, from: imageDigest })
  return made
}

/** Refuses to begin what would not fit on the disk; one that cannot be measured is tried. */
export async function demandSpace(path: string, need: number): Promise<void> {
  const free = await freeBytesOf(path).catch(() => null)
  if (free !== null && free < need) throw fail('KX_DISK_SPACE', { path, need: formatBytes(need), free: formatBytes(free) })
}

const signalOf = ({ signal }: ProvisionOptions): { signal?: AbortSignal } => (signal === undefined ? {} : { signal })
