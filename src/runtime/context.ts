import type { Cluster, ClusterHost, Role, SecretSource } from '../config/index.ts'
import type { Level } from '../event/index.ts'
import type { PkiAccess } from '../pki/index.ts'
import type { Artifact } from '../resource/index.ts'
import type { Facts, Reader } from '../runner/index.ts'
import type { Json } from '../util/json.ts'
import type { Secret } from '../util/secret.ts'
import type { Clock } from '../util/time.ts'
import type { HostName } from '../util/where.ts'
import type { LocalArtifact } from './artifacts.ts'
import type { WorkPaths } from './paths.ts'
import type { Registries } from './registries.ts'
import type { Slot } from './slot.ts'

/** A machine of the cluster: what the config says and what was found there. */
export interface Host extends ClusterHost {
  readonly facts: Facts
}

/** All that tasks, modules and pipelines see. There is no runner in it: planning touches nothing. */
export interface PlanContext {
  readonly cluster: Cluster
  readonly paths: WorkPaths
  /** Everything the cluster needs besides what is on the hosts, computed from the config. */
  readonly artifacts: readonly Artifact[]
  /** The hosts of a role in the order of the config, or all of them. */
  hosts(role?: Role): readonly Host[]
  /** The same cluster, planned for fewer hosts: how a node is added with the modules that create a cluster. */
  narrow(hosts: readonly HostName[]): PlanContext
}

/** The run a step is part of. */
export interface RunInfo {
  readonly id: string
  /** The fencing number: a host refuses changes from a run with a lower one than it has seen. */
  readonly fence: number
  /** Also remove data directories on delete. */
  readonly purgeData: boolean
  /** Also put the cluster into the kubeconfig of whoever runs kubexm. */
  readonly mergeKubeconfig?: boolean
  /** Codes of findings the user accepts. */
  readonly skipChecks: readonly string[]
}

/** How a step gets at artifacts. */
export interface ArtifactAccess {
  /** What this host gets under a name: a file of the catalogue, or an image. It lies on this machine already. */
  get(name: string): Promise<LocalArtifact>
  /** The artifact with this id, wherever it goes to. It lies on this machine already. */
  find(id: string): Promise<LocalArtifact>
  /** Whether the artifact with this id lies on this machine. */
  has(id: string): Promise<boolean>
  /** Gets the artifact with this id to this machine. */
  fetch(id: string): Promise<void>
}

/** What a step sees of the world when it looks. */
export interface StepContext {
  readonly cluster: Cluster
  /** Every host of the run. Those of the cluster may be more: `hostsOf(cluster)` names them all. */
  readonly hosts: readonly Host[]
  readonly host: Host
  /** The host this node is for, to be asked. To change it a step needs more: see `change` in `step/`. */
  readonly on: Reader
  readonly paths: WorkPaths
  readonly artifacts: ArtifactAccess
  /** The certificates and keys of the cluster. */
  readonly pki: PkiAccess
  readonly registries: Registries
  readonly run: RunInfo
  readonly signal: AbortSignal
  /** Steps wait on this one: in a rehearsal its time is simulated. */
  readonly clock: Clock
  log(level: Level, message: string): void
  /** The value of a secret of the config; from now on it is redacted wherever it might show up. */
  reveal(source: SecretSource): Promise<Secret>
  get<T extends Json>(slot: Slot<T>): T
  put<T extends Json>(slot: Slot<T>, value: T): void
}
