/** The media types kubexm writes, and those of Docker it also reads. */
export const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  layerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
} as const

/** `sha256:` and 64 hex digits. */
export type Digest = string

/** The machine an image is for. */
export interface Platform {
  readonly architecture: string
  readonly os: string
  readonly variant?: string
}

/** A pointer to content by its hash. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: Digest
  readonly size: number
  readonly platform?: Platform
  readonly annotations?: Readonly<Record<string, string>>
}

/** One image for one platform. */
export interface Manifest {
  readonly schemaVersion: 2
  readonly mediaType?: string
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
  readonly annotations?: Readonly<Record<string, string>>
}

/** Images of several platforms under one name. */
export interface Index {
  readonly schemaVersion: 2
  readonly mediaType?: string
  readonly manifests: readonly Descriptor[]
}

/** How a container of the image starts. */
export interface ImageConfig {
  readonly Entrypoint?: readonly string[]
  readonly Cmd?: readonly string[]
  readonly Env?: readonly string[]
  readonly User?: string
  readonly WorkingDir?: string
  readonly ExposedPorts?: Readonly<Record<string, Record<string, never>>>
}

/** Anything images can be read from: an archive on the disk or a registry. */
export interface ImageSource {
  /** The bytes of a blob or manifest. */
  read(content: Descriptor): AsyncIterable<Uint8Array>
}

export const isIndex = (mediaType: string): boolean => mediaType === mediaTypes.index || mediaType === mediaTypes.dockerIndex
export const isManifest = (mediaType: string): boolean => mediaType === mediaTypes.manifest || mediaType === mediaTypes.dockerManifest

/** Collects small content (a manifest, a config) into memory. */
export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}
