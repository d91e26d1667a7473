import type { Cluster } from '../config/index.ts'
import { fail } from '../error/index.ts'
import {
  type Artifact,
  ArtifactCache,
  artifactsFor,
  cacheRoot,
  ensureArtifact,
  findArtifact,
  HttpClient,
  loadCatalogue,
  originFromEnvironment,
  shapeOf,
} from '../resource/index.ts'
import type { ArtifactStore, Host } from '../runtime/index.ts'

/** Where artifacts are kept; disposed when the run is over. */
interface CachedArtifacts extends AsyncDisposable {
  readonly store: ArtifactStore
}

/** Everything these hosts need, by the catalogue. */
export async function neededArtifacts(cluster: Cluster, hosts: readonly Host[]): Promise<readonly Artifact[]> {
  const archOf = (name: string): 'amd64' | 'arm64' => {
    const arch = hosts.find((host) => host.name === name)?.facts.arch
    if (arch === 'arm64') return 'arm64'
    // A host left out by --limit is not asked; what it would need is not fetched for it either.
    if (arch === undefined || arch === 'amd64') return 'amd64'
    throw fail('KX_ARCH_UNKNOWN', { arch }, { where: { host: name } })
  }
  return artifactsFor(shapeOf(cluster, archOf), await loadCatalogue())
}

/** The cache of this machine, filled from the sources of the catalogue or a mirror (KUBEXM_MIRROR, KMZONE). */
export async function cachedArtifacts(): Promise<CachedArtifacts> {
  const catalogue = await loadCatalogue()
  const http = new HttpClient()
  const options = { cache: new ArtifactCache(cacheRoot()), catalogue, origin: originFromEnvironment(process.env), http }
  return {
    store: {
      find: (artifact) => findArtifact(artifact, options),
      ensure: (artifact, { signal, onBytes }) => ensureArtifact(artifact, { ...options, signal }, (done) => onBytes(done, 0)),
    },
    [Symbol.asyncDispose]: async () => http[Symbol.dispose](),
  }
}
