// The shapes of the HTTP API as the console uses them; test/conformance/console-types.test.ts holds them against the server's.
import type { NodeState } from '../../event/event.ts'

export type Role = 'viewer' | 'operator' | 'admin'

export interface Session {
  readonly name: string
  readonly role: Role
  readonly expires_at: string | null
}

/** One thing that is wrong in a config, with its place in the text. */
export interface ConfigProblem {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly line: number
  readonly col: number
  readonly width: number
  readonly path: string
  readonly problem: string
  readonly fix: string
  readonly source: string
}

export interface Validation {
  readonly valid: boolean
  readonly cluster: string | null
  readonly errors: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

export interface Accepted {
  readonly job_id: string
  readonly warnings: readonly ConfigProblem[]
}

export type JobStatus = 'Pending' | 'Processing' | 'Success' | 'Failed' | 'Cancelled'

export interface ShortError {
  readonly code: string
  readonly problem: string
  readonly fix: string
}

export interface Job {
  readonly id: string
  readonly cluster: string
  readonly pipeline: string
  readonly status: JobStatus
  readonly current_step: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly requested_by: string
  readonly worker: string | null
  readonly attempt: number
  readonly cancel_requested: boolean
  readonly error: ShortError | null
  readonly options: {
    readonly rehearse: boolean
    readonly rollback_on_failure: boolean
    readonly purge_data: boolean
    readonly parallel: number | null
    readonly limit_hosts: readonly string[]
  }
  readonly foreground: boolean
}

export interface Cluster {
  readonly name: string
  readonly kubernetes_version: string | null
  readonly hosts: number
  readonly last_job: Job
  readonly state: 'present' | 'absent' | 'changing' | 'unknown'
}

export interface ClusterNode {
  readonly name: string
  readonly address: string
  readonly internal_address: string
  readonly roles: readonly string[]
  readonly arch: string | null
  readonly labels: Readonly<Record<string, string>>
}

export interface Certificate {
  readonly name: string
  readonly subject: string
  readonly not_before: string
  readonly not_after: string
  readonly ca: boolean
  readonly host: string | null
}

export interface ClusterDetail extends Cluster {
  readonly nodes: readonly ClusterNode[]
  readonly versions: readonly { readonly name: string; readonly version: string }[]
  readonly certificates: readonly Certificate[]
  readonly history: readonly Job[]
}

/** A page of a list; `next` leads to the page behind. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

export interface GraphNode {
  readonly id: string
  readonly kind: 'step' | 'milestone'
  readonly module: string
  readonly task: string
  readonly step: string | null
  readonly title: string
  readonly host: string | null
  readonly needs: readonly string[]
  readonly state: NodeState
  readonly started_at: string | null
  readonly ms: number | null
  readonly error: ShortError | null
}

export interface Graph {
  readonly planned: boolean
  readonly pipeline: string
  readonly digest: string | null
  readonly seq: number
  readonly critical_path: readonly string[]
  readonly nodes: readonly GraphNode[]
}

/** What every answer that is not a success says. */
export interface Refusal extends ShortError {
  readonly errors: readonly ConfigProblem[]
}

/** An error inside an event: enough to say it in another language. */
export interface ErrorJson extends ShortError {
  readonly where?: { readonly module?: string; readonly task?: string; readonly step?: string; readonly host?: string }
  readonly seen?: string | null
  readonly params?: Readonly<Record<string, string | number>>
}

export interface FindingJson extends ShortError {
  readonly severity: 'warning' | 'error'
  readonly params?: Readonly<Record<string, string | number>>
}

/** An event as the stream carries it: which of the fields are there depends on `type`. */
export interface EventJson {
  readonly type: string
  readonly at: string
  readonly module?: string
  readonly task?: string
  readonly step?: string
  readonly host?: string
  readonly node?: string
  readonly title?: string
  readonly outcome?: string
  readonly ms?: number
  readonly attempt?: number
  readonly changes?: readonly { readonly does: string }[]
  readonly error?: ErrorJson
  readonly errors?: readonly ErrorJson[]
  readonly reason?: string
  readonly stream?: 'stdout' | 'stderr'
  readonly line?: string
  readonly done?: number
  readonly total?: number
  readonly unit?: 'bytes' | 'items'
  readonly finding?: FindingJson
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
  readonly message?: string
  readonly outline?: { readonly nodes: number; readonly hosts: readonly string[] }
}
