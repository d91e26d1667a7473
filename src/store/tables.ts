import type { Generated } from 'kysely'

/** The life of a job, in the specification's words. */
export type JobStatus = 'Pending' | 'Processing' | 'Success' | 'Failed' | 'Cancelled'

/** What a token allows: to look, to change clusters, to hand out tokens as well. */
export type TokenRole = 'viewer' | 'operator' | 'admin'

/** Times are milliseconds since 1970 by the database's own clock, so that workers with wrong clocks cannot take each other's jobs. */
type Time = number

export interface JobTable {
  readonly id: string
  readonly cluster: string
  readonly pipeline: string
  /** The config as it was sent, every literal secret sealed. */
  readonly cluster_config_yaml: string
  /** How the pipeline is to be run, as JSON. */
  readonly options: string
  readonly status: JobStatus
  readonly current_step: string | null
  readonly created_at: Time
  readonly updated_at: Time
  readonly started_at: Time | null
  readonly finished_at: Time | null
  readonly requested_by: string
  /** 1: it changes real machines; 0: it only looks, or works on simulated ones. */
  readonly changes: number
  /** 1: run by the process that recorded it; no worker takes it. */
  readonly foreground: Generated<number>
  readonly worker: string | null
  /** The identity of the process that runs it. */
  readonly process: string | null
  /** The work directory that holds the journal and the certificates: the job can go on only there. */
  readonly home: string | null
  readonly lease_until: Time | null
  /** Rises with every claim of a job of this cluster: hosts refuse a lower one than they have seen. */
  readonly fence: Generated<number>
  readonly attempt: Generated<number>
  readonly cancel_requested: Generated<number>
  /** The error as JSON: code, parameters, words. */
  readonly error: string | null
  readonly idempotency_key: string | null
  /** Tells a request that is sent again from another one with the same key. Keyed, so that it does not help to guess a password. */
  readonly request_hash: string | null
}

export interface JobEventTable {
  readonly job_id: string
  /** Counts from 1 without a gap. */
  readonly seq: number
  readonly at: Time
  readonly type: string
  readonly event: string
}

export interface TokenTable {
  readonly id: string
  readonly name: string
  readonly role: TokenRole
  /** SHA-256 of a random token of 256 bits: nothing to guess, so no slow hash is needed. */
  readonly hash: string
  readonly created_at: Time
  readonly expires_at: Time | null
  readonly revoked_at: Time | null
}

export interface AuditTable {
  readonly id: Generated<number>
  readonly at: Time
  readonly who: string
  readonly action: string
  readonly target: string
  readonly origin: string
  readonly outcome: string
}

/** What the job database holds. */
export interface Tables {
  readonly jobs: JobTable
  readonly job_events: JobEventTable
  /** The plan of a job, for those who look at it; apart from the job, since it is large. */
  readonly job_graphs: { readonly job_id: string; readonly graph: string }
  readonly tokens: TokenTable
  readonly audit: AuditTable
  readonly settings: { readonly name: string; readonly value: string }
  readonly migrations: { readonly id: number; readonly at: Time }
}
