import type { Cluster } from '../config/index.ts'
import { fail } from '../error/index.ts'
import {
  type Artifact,
  ArtifactCache,
  artifactPath,
  artifactRoot,
  artifactsFor,
  type Catalogue,
  chooseOrigin,
  ensureArtifact,
  findArtifact,
  HttpClient,
  type OpenedBundle,
  type Origin,
  openBundle,
  originFromEnvironment,
  type Provided,
  packageFilesFor,
  shapeOf,
} from '../resource/index.ts'
import type { ArtifactStore, Host, WorkPaths } from '../runtime/index.ts'

/** Where artifacts come from, as the command line says; what it leaves open is taken from the environment, then from the config. */
export interface SourceChoice {
  /** A file with everything: then nothing outside the fleet is asked. */
  readonly bundle?: string
  readonly mirror?: string
  readonly zone?: string
  readonly registryMirror?: string
  /** A catalogue file laid over the built-in one. */
  readonly catalogue?: string
}

/** The artifacts of one run on this machine; disposed when the run is over. */
interface RunArtifacts extends AsyncDisposable {
  readonly store: ArtifactStore
  /** Refuses a source that is known to lack something, before anything is changed. */
  demand(needed: readonly Artifact[]): void
  /** Files of packages for these hosts: a bundle may bring them. */
  packageFiles(hosts: readonly Host[]): readonly Artifact[]
  /** Proves everything that can be proven beforehand: the whole bundle, where there is one. */
  prove(signal: AbortSignal): Promise<void>
}

/** Everything these hosts need, by the catalogue; hosts that are left out (`--limit`) need nothing. */
export function neededArtifacts(cluster: Cluster, hosts: readonly Host[], catalogue: Catalogue): readonly Artifact[] {
  const present = new Map(hosts.map((host) => [host.name, host.facts.arch]))
  const archOf = (name: string): 'amd64' | 'arm64' => {
    const arch = present.get(name)
    if (arch === 'arm64') return 'arm64'
    if (arch === undefined || arch === 'amd64') return 'amd64'
    throw fail('KX_ARCH_UNKNOWN', { arch }, { where: { host: name } })
  }
  return artifactsFor(shapeOf(cluster, archOf), catalogue).flatMap((artifact) => {
    const own = artifact.hosts.filter((host) => present.has(host))
    return own.length === 0 ? [] : [{ ...artifact, hosts: own }]
  })
}

/** Opens what the choice names. What is here is also linked into the work directory of the cluster. */
export async function openArtifacts(
  cluster: Cluster,
  choice: SourceChoice,
  catalogue: Catalogue,
  paths: WorkPaths,
  cache = new ArtifactCache(artifactRoot()),
): Promise<RunArtifacts> {
  const linked = linkedInto(paths.root, cache)
  return choice.bundle === undefined
    ? fromSources(cluster, choice, catalogue, cache, linked)
    : fromBundle(await openBundle(choice.bundle, cache), linked)
}

/** The same cluster, told that it has nothing but its hosts and a bundle: checks then ask for nothing else. */
export const offline = (cluster: Cluster): Cluster => ({
  ...cluster,
  spec: { ...cluster.spec, global: { ...cluster.spec.global, offlineMode: true } },
})

interface Linked {
  /** The artifact, if it is in the work directory of the cluster too. */
  found(provided: Provided | null): Promise<Provided | null>
  /** Puts it there. */
  put(provided: Provided): Promise<Provided>
}

function linkedInto(root: string, cache: ArtifactCache): Linked {
  return {
    found: async (provided) => {
      const path = provided === null ? null : artifactPath(root, provided.artifact)
      return provided === null || path === null || (await cache.isLinked(provided.sha256, path)) ? provided : null
    },
    put: async (provided) => {
      const path = artifactPath(root, provided.artifact)
      if (path !== null) await cache.link(provided.sha256, path)
      return provided
    },
  }
}

function fromSources(cluster: Cluster, choice: SourceChoice, catalogue: Catalogue, cache: ArtifactCache, linked: Linked): RunArtifacts {
  const http = new HttpClient()
  const options = { cache, catalogue, origin: originFor(cluster, choice), http, offline: cluster.spec.global.offlineMode }
  return {
    store: {
      find: async (artifact) => linked.found(await findArtifact(artifact, options)),
      ensure: async (artifact, { signal, onBytes }) =>
        linked.put(await ensureArtifact(artifact, { ...options, signal }, (done, total) => onBytes(done, total ?? 0))),
    },
    demand: () => {},
    packageFiles: () => [],
    prove: async () => {},
    [Symbol.asyncDispose]: async () => http[Symbol.dispose](),
  }
}

/** Where to fetch from: the command line is stronger than the environment, and that than the config. */
export function originFor(cluster: Cluster, choice: SourceChoice): Origin {
  const { artifactMirror } = cluster.spec.global
  const asked = {
    ...(choice.mirror === undefined ? {} : { mirror: choice.mirror }),
    ...(choice.zone === undefined ? {} : { zone: choice.zone }),
    ...(choice.registryMirror === undefined ? {} : { imageMirror: choice.registryMirror }),
  }
  return chooseOrigin(asked, originFromEnvironment(process.env), artifactMirror === '' ? {} : { mirror: artifactMirror })
}

function fromBundle(bundle: OpenedBundle, linked: Linked): RunArtifacts {
  return {
    store: {
      find: async (artifact) => linked.found(await bundle.find(artifact)),
      ensure: async (artifact, options) => {
        bundle.demand([artifact])
        await bundle.unpack(options)
        const provided = await bundle.find(artifact)
        if (provided === null) throw fail('KX_BUNDLE', { file: bundle.file, why: `${artifact.id} was not in it after all` })
        return linked.put(provided)
      },
    },
    demand: (needed) => bundle.demand(needed),
    packageFiles: (hosts) => packageFilesFor(bundle.index, hosts),
    prove: (signal) => bundle.unpack({ signal }),
    [Symbol.asyncDispose]: async () => {},
  }
}
