import { fail, KubexmError } from '../error/index.ts'
import { ImageArchive } from './oci/archive.ts'
import type { Credentials } from './oci/auth.ts'
import { document } from './oci/image.ts'
import { RegistryClient } from './oci/registry.ts'
import { type PushReport, pushImage } from './oci/transfer.ts'
import { type Descriptor, type ImageSource, type Index, mediaTypes } from './oci/types.ts'

/** A registry as this machine reaches it. */
export interface RegistryPlace {
  /** As it stands in names of images: what its certificate is for. */
  readonly registry: string
  /** Where it is: this machine need not know the name. */
  readonly address: string
  /** The certificate that vouches for it; without one the system's are asked. */
  readonly authority: string | null
  readonly credentials: Credentials | null
}

/** An image of this machine under its name in a registry: one archive for each architecture. */
export interface Publication {
  readonly repository: string
  readonly tag: string
  readonly parts: readonly { readonly arch: string; readonly path: string }[]
  /** A repository of the same registry that may have the same content already. */
  readonly alsoIn?: string
}

/** Whether the registry has exactly this image under this name. */
export const isPublished = (place: RegistryPlace, image: Publication, signal: AbortSignal): Promise<boolean> =>
  withRegistry(
    place,
    image,
    signal,
    async (client, joined) => (await client.resolve(image.repository, image.tag))?.digest === joined.top.digest,
  )

/** Puts an image with all its architectures into a registry; what is there already is not sent again. */
export function publish(place: RegistryPlace, image: Publication, signal: AbortSignal): Promise<PushReport> {
  const { repository, tag, alsoIn } = image
  const to = { repository, tag, ...(alsoIn === undefined ? {} : { mountFrom: alsoIn }) }
  return withRegistry(place, image, signal, (client, joined) => pushImage(joined, joined.top, { client, ...to }))
}

async function withRegistry<T>(
  place: RegistryPlace,
  image: Publication,
  signal: AbortSignal,
  use: (client: RegistryClient, joined: JoinedImage) => Promise<T>,
): Promise<T> {
  await using joined = await joinArchives(image)
  using client = clientOf(place, signal)
  try {
    return await use(client, joined)
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof KubexmError) throw thrown
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw fail('KX_REGISTRY', { registry: place.registry, what: `pushing ${image.repository}:${image.tag}`, why }, { cause: thrown })
  }
}

const clientOf = ({ registry, address, authority, credentials }: RegistryPlace, signal: AbortSignal): RegistryClient =>
  new RegistryClient({
    registry,
    address,
    signal,
    ...(authority === null ? {} : { tls: { ca: authority } }),
    ...(credentials === null ? {} : { credentials }),
  })

interface JoinedImage extends ImageSource, AsyncDisposable {
  readonly top: Descriptor
}

/** Images for single architectures as one for all of them: also a single one, so that another can join it later under the same name. */
async function joinArchives({ repository, tag, parts }: Publication): Promise<JoinedImage> {
  await using opened = new AsyncDisposableStack()
  const owner = new Map<string, ImageArchive>()
  const manifests: Descriptor[] = []
  for (const { arch, path } of [...parts].sort((a, b) => (a.arch < b.arch ? -1 : 1))) {
    const archive = opened.use(await ImageArchive.open(path))
    const [image] = archive.images
    if (image === undefined) throw fail('KX_IMAGE_ARCHIVE', { file: path, why: `it holds no image for ${repository}:${tag}` })
    const { mediaType, digest, size, platform } = image.top
    manifests.push({ mediaType, digest, size, platform: platform ?? { os: 'linux', architecture: arch } })
    for (const held of archive.digests) owner.set(held, archive)
  }
  const index = document(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests } satisfies Index)
  const files = opened.move()
  return {
    top: index.descriptor,
    read: async function* (content) {
      if (content.digest === index.descriptor.digest) yield index.bytes
      else yield* archiveWith(owner, content).read(content)
    },
    [Symbol.asyncDispose]: () => files.disposeAsync(),
  }
}

function archiveWith(owner: ReadonlyMap<string, ImageArchive>, { digest }: Descriptor): ImageArchive {
  const archive = owner.get(digest) ?? [...owner.values()][0]
  if (archive === undefined) throw fail('KX_BUG', { what: `no archive was opened for ${digest}` })
  return archive
}
