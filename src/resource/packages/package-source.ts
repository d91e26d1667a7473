import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fail } from '../../error/index.ts'
import { semaphore } from '../../util/semaphore.ts'
import { together } from '../../util/together.ts'
import { hashFile } from '../atomic-file.ts'
import type { ArtifactCache } from '../cache.ts'
import type { Arch } from '../catalogue.ts'
import type { HttpClient } from '../http.ts'
import { readAll } from '../oci/types.ts'
import type { Provided } from '../provision.ts'
import { type DebPackage, parsePackages, withDependencies } from './deb-index.ts'

/** Where the packages of one distribution come from when a bundle is made. */
export type PackageSource = { readonly os: string } & (
  | { readonly kind: 'directory'; readonly directory: string }
  /** `deb [trusted=yes] <base> <suite> <components…>`, or a flat repository: suite `./`, no components. */
  | { readonly kind: 'deb'; readonly base: string; readonly suite: string; readonly components: readonly string[] }
)

/** Reads `debian-12=deb https://mirror.example.com/debian bookworm main` or `rocky-9=/directory/of/rpms`. */
export function parsePackageSource(text: string): PackageSource {
  const [, os = '', source = ''] = /^([a-z][\w.-]*-[\w.]+)=(.+)$/.exec(text.trim()) ?? []
  const refuse = (why: string): Error => fail('KX_PACKAGE_SOURCE', { what: text, why })
  if (os === '') throw refuse('it is not of the form <distribution>-<version>=<source>')
  if (!source.startsWith('deb ')) return { os, kind: 'directory', directory: source }
  const [, options = '', base = '', suite = '', rest = ''] = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*(.*)$/.exec(source) ?? []
  const components = rest.split(/\s+/).filter((word) => word !== '')
  if (!/^https?:\/\//.test(base) || (components.length === 0 && !suite.endsWith('/'))) throw refuse('it is not a line of apt')
  // Signatures are not checked here: either the way to the repository proves it, or the user does.
  if (base.startsWith('http:') && !/\btrusted=yes\b/.test(options)) throw refuse('plain http proves nothing: use https, or [trusted=yes]')
  return { os, kind: 'deb', base: base.replace(/\/$/, ''), suite, components }
}

interface FetchOptions {
  readonly cache: ArtifactCache
  readonly http: HttpClient
  readonly signal?: AbortSignal
}

/** The files of the named packages and of what they depend on, from all sources of one distribution; from directories everything there is. */
export async function fetchPackageFiles(
  sources: readonly PackageSource[],
  names: readonly string[],
  arches: readonly Arch[],
  options: FetchOptions,
): Promise<readonly Provided[]> {
  const found: Provided[] = []
  for (const os of new Set(sources.map((source) => source.os))) {
    const own = sources.filter((source) => source.os === os)
    for (const source of own) if (source.kind === 'directory') found.push(...(await filesOf(os, source.directory)))
    const repositories = own.flatMap((source) => (source.kind === 'deb' ? [source] : []))
    if (repositories.length > 0) found.push(...(await fromRepositories(os, repositories, names, arches, options)))
  }
  // What two architectures share is one file.
  return [...new Map(found.map((file) => [file.artifact.id, file])).values()]
}

type Repository = Extract<PackageSource, { kind: 'deb' }>

async function fromRepositories(
  os: string,
  repositories: readonly Repository[],
  names: readonly string[],
  arches: readonly Arch[],
  options: FetchOptions,
): Promise<readonly Provided[]> {
  const atOnce = semaphore(4)
  const wanted: DebPackage[] = []
  for (const arch of arches) {
    const indexes = await Promise.all(repositories.flatMap((repository) => indexesOf(repository, arch)).map((at) => readIndex(at, options)))
    wanted.push(...withDependencies(indexes.flat(), names, arch))
  }
  return await together(
    wanted.map((one) =>
      atOnce(async () => {
        const { http, cache, signal } = options
        const { path } = await cache.fetch({ url: one.url, sha256: one.sha256 }, { http, ...(signal === undefined ? {} : { signal }) })
        return packageFile(os, decodeURIComponent(one.url.slice(one.url.lastIndexOf('/') + 1)), path, one)
      }),
    ),
  )
}

/** Where the indexes of a repository are, and what the places in them are relative to. */
const indexesOf = ({ base, suite, components }: Repository, arch: Arch): readonly { readonly url: string; readonly base: string }[] =>
  components.length === 0
    ? [flat(`${base}/${suite.replace(/^\.\//, '').replace(/\/$/, '')}`.replace(/\/$/, ''))]
    : components.map((component) => ({ url: `${base}/dists/${suite}/${component}/binary-${arch}/Packages.gz`, base }))

const flat = (base: string): { readonly url: string; readonly base: string } => ({ url: `${base}/Packages.gz`, base })

async function readIndex(
  { url, base }: { readonly url: string; readonly base: string },
  options: FetchOptions,
): Promise<readonly DebPackage[]> {
  const refuse = (why: string, cause?: unknown): Error => fail('KX_PACKAGE_SOURCE', { what: url, why }, { cause })
  const response = await options.http
    .request(url, options.signal === undefined ? {} : { signal: options.signal })
    .catch((error: Error) => Promise.reject(refuse(error.message, error)))
  if (response.status !== 200) {
    response.body.destroy()
    throw refuse(`the repository answers ${response.status}`)
  }
  return parsePackages(gunzipSync(await readAll(response.body)).toString(), base)
}

async function filesOf(os: string, directory: string): Promise<readonly Provided[]> {
  const names = await readdir(directory).catch((error: Error) => {
    throw fail('KX_PACKAGE_SOURCE', { what: directory, why: error.message }, { cause: error })
  })
  const packages = names.filter((name) => /\.(deb|rpm)$/.test(name)).sort()
  if (packages.length === 0) throw fail('KX_PACKAGE_SOURCE', { what: directory, why: 'it has neither .deb nor .rpm files' })
  return await Promise.all(
    packages.map(async (name) => {
      const path = join(directory, name)
      return packageFile(os, name, path, await hashFile(path))
    }),
  )
}

const packageFile = (os: string, fileName: string, path: string, { sha256, size }: { sha256: string; size: number }): Provided => ({
  artifact: { id: `package/${os}/${fileName}`, kind: 'package-file', os, fileName, hosts: [] },
  path,
  sha256,
  size,
})
