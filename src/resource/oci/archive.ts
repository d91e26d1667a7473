import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { fail } from '../../error/index.ts'
import { type Hashed, writeAtomically, writeHashed } from '../atomic-file.ts'
import { bytesEntry, listTar, type TarEntry, type TarMember, writeTar } from '../tar.ts'
import { type BuiltImage, document } from './image.ts'
import { readLayer } from './layer.ts'
import { type Descriptor, type ImageSource, type Index, isIndex, isManifest, type Manifest, mediaTypes, readAll } from './types.ts'

/** What goes into an archive: a name, its top manifest or index, everything that one points to, and where the bytes are. */
export interface ArchiveContent {
  readonly name: string
  readonly top: Descriptor
  readonly contents: readonly Descriptor[]
  readonly source: ImageSource
}

/** Writes an OCI archive that `ctr image import` takes under the given name. */
export async function writeArchive(file: string, image: ArchiveContent, options: { signal?: AbortSignal } = {}): Promise<Hashed> {
  const tag = image.name.slice(image.name.lastIndexOf(':') + 1)
  const annotations = { ...image.top.annotations, 'io.containerd.image.name': image.name, 'org.opencontainers.image.ref.name': tag }
  const index: Index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [{ ...image.top, annotations }] }
  const entries = function* (): Generator<TarEntry> {
    yield bytesEntry('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' }))
    yield bytesEntry('index.json', JSON.stringify(index))
    for (const content of unique(image.contents)) {
      const open = (): AsyncIterable<Uint8Array> => image.source.read(content)
      yield { path: blobPath(content.digest), mode: 0o644, content: { type: 'file', size: content.size, open } }
    }
  }
  return await writeAtomically(file, (temporary) => writeHashed(temporary, writeTar(entries()), options))
}

/** An archive's content for an image made here. */
export function builtContent(name: string, image: BuiltImage): ArchiveContent {
  const documents = new Map(image.documents.map(({ descriptor, bytes }) => [descriptor.digest, bytes]))
  const layers = new Map(image.layers.map((layer) => [layer.descriptor.digest, layer]))
  return {
    name,
    top: image.manifest,
    contents: [...image.documents.map(({ descriptor }) => descriptor), ...image.layers.map((layer) => layer.descriptor)],
    source: {
      read: async function* (content) {
        const layer = layers.get(content.digest)
        const bytes = documents.get(content.digest)
        if (layer !== undefined) yield* readLayer(layer)
        else if (bytes !== undefined) yield bytes
      },
    },
  }
}

/** Several platforms' images under one name. */
export function builtIndex(name: string, images: readonly BuiltImage[]): ArchiveContent {
  const parts = images.map((image) => builtContent(name, image))
  const { descriptor, bytes } = document(mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: images.map((image) => image.manifest),
  } satisfies Index)
  const owner = new Map(parts.flatMap((part) => part.contents.map((content) => [content.digest, part] as const)))
  return {
    name,
    top: descriptor,
    contents: [descriptor, ...parts.flatMap((part) => part.contents)],
    source: {
      read: async function* (content) {
        if (content.digest === descriptor.digest) yield bytes
        else yield* owner.get(content.digest)?.source.read(content) ?? []
      },
    },
  }
}

/** An open archive: its images by name, and their bytes by digest, read in place. */
export class ImageArchive implements ImageSource, AsyncDisposable {
  readonly file: string
  readonly images: readonly { readonly name: string; readonly top: Descriptor }[]
  readonly #handle: FileHandle
  readonly #members: ReadonlyMap<string, TarMember>

  private constructor(file: string, handle: FileHandle, members: ReadonlyMap<string, TarMember>, index: Index) {
    this.file = file
    this.#handle = handle
    this.#members = members
    this.images = index.manifests.map((top) => ({
      name: top.annotations?.['io.containerd.image.name'] ?? top.annotations?.['org.opencontainers.image.ref.name'] ?? top.digest,
      top,
    }))
  }

  /** Opens an OCI archive; only its table of contents is read. */
  static async open(file: string): Promise<ImageArchive> {
    const handle = await open(file, 'r')
    try {
      const members = new Map((await listTar(handle)).map((member) => [member.path, member]))
      const indexMember = members.get('index.json')
      if (indexMember === undefined) throw fail('KX_IMAGE_ARCHIVE', { file, why: 'it has no index.json' })
      const bytes = Buffer.alloc(indexMember.size)
      await handle.read(bytes, 0, indexMember.size, indexMember.offset)
      return new ImageArchive(file, handle, members, JSON.parse(bytes.toString()) as Index)
    } catch (error) {
      await handle.close()
      if (error instanceof SyntaxError || error instanceof RangeError)
        throw fail('KX_IMAGE_ARCHIVE', { file, why: error.message }, { cause: error })
      throw error
    }
  }

  /** Everything the archive holds, by its digest. */
  get digests(): readonly string[] {
    return [...this.#members.keys()].flatMap((path) => (path.startsWith('blobs/') ? [path.slice('blobs/'.length).replace('/', ':')] : []))
  }

  async *read(content: Descriptor): AsyncGenerator<Uint8Array> {
    const member = this.#members.get(blobPath(content.digest))
    if (member === undefined || member.size !== content.size)
      throw fail('KX_IMAGE_ARCHIVE', { file: this.file, why: `${content.digest} is missing from it` })
    if (member.size === 0) return
    yield* createReadStream(this.file, { start: member.offset, end: member.offset + member.size - 1, highWaterMark: 1 << 20 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}

/** Everything `top` points to, itself first, children before the blobs of the next: the order in which it can be copied is the reverse. */
export async function contentsOf(top: Descriptor, source: ImageSource): Promise<readonly Descriptor[]> {
  if (isIndex(top.mediaType)) {
    const index = JSON.parse((await readAll(source.read(top))).toString()) as Index
    const children: Descriptor[] = []
    for (const child of index.manifests) children.push(...(await contentsOf(child, source)))
    return unique([top, ...children])
  }
  if (!isManifest(top.mediaType)) return [top]
  const manifest = JSON.parse((await readAll(source.read(top))).toString()) as Manifest
  return unique([top, manifest.config, ...manifest.layers])
}

/** Each content once, in the order of its first mention. */
export const unique = (contents: readonly Descriptor[]): readonly Descriptor[] => [
  ...new Map(contents.map((content) => [content.digest, content])).values(),
]

const blobPath = (digest: string): string => `blobs/${digest.replace(':', '/')}`
