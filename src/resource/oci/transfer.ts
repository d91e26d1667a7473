import { fail } from '../../error/index.ts'
import { semaphore } from '../../util/semaphore.ts'
import { together } from '../../util/together.ts'
import type { Hashed } from '../atomic-file.ts'
import { contentsOf, unique, writeArchive } from './archive.ts'
import { document } from './image.ts'
import type { RegistryClient } from './registry.ts'
import { type Descriptor, type ImageSource, type Index, isIndex, isManifest, mediaTypes, readAll } from './types.ts'

/** What a push did. */
export interface PushReport {
  readonly digest: string
  readonly uploaded: number
  readonly uploadedBytes: number
  readonly mounted: number
  readonly skipped: number
}

const parallelUploads = 4

/** Puts an image (or a multi-arch index with all its images) into a registry. What is there already is not sent again. */
export async function pushImage(
  source: ImageSource,
  top: Descriptor,
  to: {
    readonly client: RegistryClient
    readonly repository: string
    readonly tag: string /** A repository that may already hold the blobs. */
    readonly mountFrom?: string
  },
): Promise<PushReport> {
  const { client, repository, tag, mountFrom } = to
  const there = await client.resolve(repository, tag)
  const contents = await contentsOf(top, source)
  if (there?.digest === top.digest) return { digest: top.digest, uploaded: 0, uploadedBytes: 0, mounted: 0, skipped: contents.length }
  const counts = { uploaded: 0, uploadedBytes: 0, mounted: 0, skipped: 0 }
  const atOnce = semaphore(parallelUploads)
  const uploadBlob = async (content: Descriptor): Promise<void> => {
    if (await client.hasBlob(repository, content.digest)) counts.skipped++
    else if (mountFrom !== undefined && (await client.mountBlob(repository, content.digest, mountFrom))) counts.mounted++
    else {
      await client.putBlob(repository, content, () => source.read(content))
      counts.uploaded++
      counts.uploadedBytes += content.size
    }
  }
  const manifests = contents.filter((content) => isManifest(content.mediaType) || isIndex(content.mediaType))
  await together(contents.filter((content) => !manifests.includes(content)).map((content) => atOnce(() => uploadBlob(content))))
  // A registry refuses a manifest whose parts it does not have: children first, the tag last.
  for (const manifest of manifests.toReversed()) {
    const reference = manifest.digest === top.digest ? tag : manifest.digest
    await client.putManifest(repository, reference, manifest.mediaType, await readAll(source.read(manifest)))
    counts.uploaded++
    counts.uploadedBytes += manifest.size
  }
  return { digest: top.digest, ...counts }
}

/** A registry seen as a source of bytes: manifests and blobs live at different places there. */
export const registrySource = (client: RegistryClient, repository: string): ImageSource => ({
  read: async function* (content) {
    if (isManifest(content.mediaType) || isIndex(content.mediaType)) yield (await client.manifest(repository, content.digest)).bytes
    else yield* client.blob(repository, content)
  },
})

/** An image in a registry, narrowed to the wanted platforms. */
export interface RemoteImage {
  readonly top: Descriptor
  readonly contents: readonly Descriptor[]
  readonly source: ImageSource
}

/** Finds an image and what must be fetched of it; `architectures` narrows a multi-arch index, null keeps it whole. */
export async function remoteImage(
  client: RegistryClient,
  repository: string,
  reference: string,
  architectures: readonly string[] | null,
): Promise<RemoteImage> {
  const { descriptor, bytes } = await client.manifest(repository, reference)
  const source = registrySource(client, repository)
  if (!isIndex(descriptor.mediaType) || architectures === null)
    return { top: descriptor, contents: await contentsOf(descriptor, source), source }
  const index = JSON.parse(bytes.toString()) as Index
  const chosen = architectures.map((architecture) => pickPlatform(index, architecture, `${client.registry}/${repository}:${reference}`))
  const [only] = chosen
  if (only !== undefined && chosen.length === 1) return { top: only, contents: await contentsOf(only, source), source }
  const narrowed = document(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests: chosen } satisfies Index)
  const parts = await Promise.all(chosen.map((manifest) => contentsOf(manifest, source)))
  return {
    top: narrowed.descriptor,
    contents: unique([narrowed.descriptor, ...parts.flat()]),
    source: {
      read: async function* (content) {
        if (content.digest === narrowed.descriptor.digest) yield narrowed.bytes
        else yield* source.read(content)
      },
    },
  }
}

function pickPlatform(index: Index, architecture: string, image: string): Descriptor {
  const found = index.manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === architecture)
  if (found !== undefined) return found
  const known = index.manifests
    .flatMap(({ platform }) => (platform === undefined ? [] : [`${platform.os}/${platform.architecture}`]))
    .join(', ')
  throw fail('KX_IMAGE_PLATFORM', { image, platform: `linux/${architecture}`, known })
}

/** Fetches an image into an OCI archive, under the name it shall have on the hosts. */
export async function pullToArchive(
  client: RegistryClient,
  from: { readonly repository: string; readonly reference: string; readonly architectures: readonly string[] | null },
  to: { readonly file: string; readonly name: string; readonly signal?: AbortSignal; onBytes?(done: number, total: number): void },
): Promise<Hashed & { readonly digest: string }> {
  const image = await remoteImage(client, from.repository, from.reference, from.architectures)
  const source = to.onBytes === undefined ? image.source : counted(image, to.onBytes)
  const hashed = await writeArchive(to.file, { name: to.name, ...image, source }, to.signal === undefined ? {} : { signal: to.signal })
  return { ...hashed, digest: image.top.digest }
}

/** The same source, telling how much of the image has passed. */
function counted({ source, contents }: RemoteImage, onBytes: (done: number, total: number) => void): ImageSource {
  const total = contents.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  let told = 0
  return {
    read: async function* (content) {
      for await (const chunk of source.read(content)) {
        done += chunk.length
        // Nobody can follow every piece of a large image.
        if (done - told >= 1 << 20 || done === total) {
          told = done
          onBytes(done, total)
        }
        yield chunk
      }
    },
  }
}
