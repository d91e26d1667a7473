import type { Ask, Cluster } from '../config/index.ts'
import type { KubexmError } from '../error/index.ts'
import type { Finding, NodeState, Outcome, RunEvent } from '../event/index.ts'
import type { Pki } from '../pki/index.ts'
import type { NodeId } from '../plan/index.ts'
import type { Artifact } from '../resource/index.ts'
import type { Runner } from '../runner/index.ts'
import type { ArtifactStore, Host, Registries, RunInfo, WorkPaths } from '../runtime/index.ts'
import type { Json } from '../util/json.ts'
import type { Clock, Millis } from '../util/time.ts'
import type { HostName } from '../util/where.ts'
import type { Journal } from './journal.ts'
import type { Limits } from './limits.ts'

/** One run's world: the hosts and how to reach them. */
export interface World {
  readonly cluster: Cluster
  readonly hosts: readonly Host[]
  readonly paths: WorkPaths
  readonly artifacts: readonly Artifact[]
  readonly store: ArtifactStore
  /** The certificates and keys of the cluster. */
  readonly pki: Pki
  readonly registries: Registries
  /** `local` is the machine kubexm runs on. */
  runner(host: HostName): Runner
}

export interface ExecuteOptions {
  readonly run: RunInfo
  readonly journal: Journal
  readonly emit: (event: RunEvent) => void
  readonly limits: Limits
  readonly clock: Clock
  /** Aborted once: nothing new starts, what runs is ended. */
  readonly cancel: AbortSignal
  /** Aborted when the user insists: no rollback either; the journal stays as it is. */
  readonly abandon: AbortSignal
  /** Skip what the journal says is done. */
  readonly resume: boolean
  readonly rollbackOnFailure: boolean
  /** Hosts that are given up before anything begins, each with the reason. */
  readonly lost?: ReadonlyMap<HostName, KubexmError>
  /** Whether the run may go on without these hosts; by default any failure ends it. */
  readonly mayLose?: (hosts: ReadonlySet<HostName>) => boolean
  /** What people want to know when the run is over, beyond what its steps tell. */
  readonly results?: (report: Pick<Report, 'outcome' | 'states'> & { readonly lost: ReadonlySet<HostName> }) => readonly Result[]
  /** After a failure elsewhere, how long running nodes may go on before they are ended. */
  readonly grace: Millis
  /** Told of every secret that comes up, so that it is never printed. */
  readonly onSecret: (value: Json) => void
  /** Asks the person at the terminal for a secret; null where nobody is there. */
  readonly ask: Ask
}

/** One line of the summary of a run, or of a host in it. */
export interface Result {
  readonly label: string
  readonly text: string
  readonly host?: HostName
}

/** How a run ended. */
export interface Report {
  readonly outcome: Outcome
  readonly states: ReadonlyMap<NodeId, NodeState>
  /** Causes only: what failed because of them is `blocked` and says nothing. */
  readonly errors: readonly KubexmError[]
  readonly findings: readonly HostFinding[]
  readonly ms: Millis
}

/** A finding with the place it was made at. */
export interface HostFinding extends Finding {
  readonly host: HostName
  readonly step: string
  readonly module: string
  readonly task: string
}
