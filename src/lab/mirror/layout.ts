import { join } from 'node:path'
import { cacheRoot } from '../../resource/cache-root.ts'

/** The folders of a mirror. */
export interface MirrorLayout {
  readonly root: string
  /** Files as their publishers serve them: `files/<host>/<path>`. */
  readonly files: string
  /** OCI archives: `images/<registry>/<repository>/<tag>.tar`. */
  readonly images: string
  /** Programs built here: `programs/<name>/<version>/<arch>/`. */
  readonly programs: string
  /** The distribution's packages, as a flat apt repository. */
  readonly packages: string
  /** The registry's storage. */
  readonly registry: string
  /** What was made, with hashes: one record an item. */
  readonly state: string
  /** Sources and half-made things; may be removed at any time when nothing runs. */
  readonly work: string
}

/** The layout under a cache root. */
export function mirrorLayout(cache: string = cacheRoot()): MirrorLayout {
  const root = join(cache, 'mirror')
  const at = (name: string): string => join(root, name)
  return {
    root,
    files: at('files'),
    images: at('images'),
    programs: at('programs'),
    packages: at('packages'),
    registry: at('registry'),
    state: at('state'),
    work: at('work'),
  }
}

/** Where the mirror keeps what a publisher serves under this address. */
export function mirroredFile(layout: MirrorLayout, url: string): string {
  const { host, pathname } = new URL(url)
  return join(layout.files, host, decodeURIComponent(pathname))
}

/** Where the mirror keeps an image's archive. */
export function mirroredImage(layout: MirrorLayout, image: string): string {
  const colon = image.lastIndexOf(':')
  return join(layout.images, image.slice(0, colon), `${image.slice(colon + 1)}.tar`)
}
