import { sha256 } from '../../util/hash.ts'
import type { Layer } from './layer.ts'
import { type Descriptor, type ImageConfig, type Manifest, mediaTypes, type Platform } from './types.ts'

/** An image for one platform, made here: its documents in memory, its layers in files. */
export interface BuiltImage {
  readonly manifest: Descriptor
  readonly documents: readonly { readonly descriptor: Descriptor; readonly bytes: Uint8Array }[]
  readonly layers: readonly Layer[]
}

const defaultPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Makes an image of layers; the same layers and config give the same digest. */
export function buildImage(layers: readonly Layer[], config: ImageConfig, platform: Platform): BuiltImage {
  const configDocument = {
    created: '1970-01-01T00:00:00Z',
    architecture: platform.architecture,
    os: platform.os,
    config: { Env: [defaultPath], WorkingDir: '/', ...config },
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.diffId) },
  }
  const configuration = document(mediaTypes.config, configDocument)
  const manifestDocument: Manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: configuration.descriptor,
    layers: layers.map((layer) => layer.descriptor),
  }
  const manifest = document(mediaTypes.manifest, manifestDocument)
  return { manifest: { ...manifest.descriptor, platform }, documents: [manifest, configuration], layers }
}

/** Content made of a JSON value. */
export function document(mediaType: string, value: unknown): { readonly descriptor: Descriptor; readonly bytes: Uint8Array } {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return { descriptor: { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length }, bytes }
}
