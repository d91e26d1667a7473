import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { builtInCatalogue, defaultVersion } from '../../resource/catalogue.ts'
import type { Catalogue } from '../../resource/catalogue-schema.ts'
import { machineArch } from './contents.ts'
import { fillRegistry } from './fill-registry.ts'
import { type MirrorLayout, mirrorLayout } from './layout.ts'
import { startRegistry } from './registry-server.ts'
import { startServer } from './server-process.ts'

/** Where and how a mirror is served. */
export interface ServeOptions {
  /** The images to offer: those of a mirror's contents. */
  readonly images: readonly string[]
  /** An address of the machine, or of the namespace. */
  readonly address: string
  /** Port of the files; 0 takes any. */
  readonly port: number
  /** Port of the registry; 0 takes any. */
  readonly registryPort: number
  readonly layout?: MirrorLayout
  readonly catalogue?: Catalogue
  /** A network namespace (path, such as /run/netns/lab) to serve in. */
  readonly namespace?: string
  readonly tls?: { readonly certificate: string; readonly key: string }
}

/** A mirror that is being served, until disposed. */
export interface ServedMirror extends AsyncDisposable {
  /** What `--mirror` takes: `<files>/<host>/<path>` stands for `https://<host>/<path>`. */
  readonly files: string
  /** A flat apt repository: `deb [trusted=yes] <packages> ./`. */
  readonly packages: string
  /** `host:port` of the registry; images are there under their path without the registry's name. */
  readonly registry: string
}

/** Serves a made mirror: files over HTTP, images through the real distribution registry. */
export async function serveMirror(options: ServeOptions): Promise<ServedMirror> {
  const layout = options.layout ?? mirrorLayout()
  const registryVersion = defaultVersion(options.catalogue ?? builtInCatalogue, 'registry')
  const program = (set: string, version: string, name: string): string => join(layout.programs, set, version, machineArch(), name)
  const registryProgram = program('registry', registryVersion, 'registry')
  const inside = options.namespace === undefined ? {} : { namespace: options.namespace }
  await fillRegistry(layout, registryProgram, options.images)
  await using stack = new AsyncDisposableStack()
  const work = join(layout.work, `serve-${process.pid}-${randomBytes(4).toString('hex')}`)
  stack.defer(() => rm(work, { recursive: true, force: true }))
  const at = `${options.address}:${options.port}`
  const folders = ['files', layout.files, 'packages', layout.packages, 'images', layout.images]
  const files = stack.use(
    await startServer({ command: [program('file-server', 'v1', 'file-server'), at, ...folders], address: at, ...inside }),
  )
  const registry = stack.use(
    await startRegistry({
      program: registryProgram,
      storage: layout.registry,
      work,
      address: `${options.address}:${options.registryPort}`,
      ...inside,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
    }),
  )
  const running = stack.move()
  return {
    files: `http://${files.address}/files`,
    packages: `http://${files.address}/packages`,
    registry: registry.address,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
