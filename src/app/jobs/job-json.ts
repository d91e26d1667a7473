import type { Language } from '../../error/index.ts'
import { errorFromJson } from '../../event/index.ts'
import type { Job } from '../../store/index.ts'
import type { Json } from '../../util/json.ts'
import { optionsFromJson } from './options.ts'

/** An error as people are told it. */
export interface ErrorJson {
  readonly code: string
  readonly problem: string
  readonly fix: string
}

/** A job as the API gives it and `-o json` prints it. Field names are stable. */
export interface JobJson {
  readonly id: string
  readonly cluster: string
  readonly pipeline: string
  readonly status: Job['status']
  readonly current_step: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly requested_by: string
  readonly worker: string | null
  readonly attempt: number
  readonly cancel_requested: boolean
  readonly error: ErrorJson | null
  readonly options: {
    readonly rehearse: boolean
    readonly rollback_on_failure: boolean
    readonly purge_data: boolean
    readonly parallel: number | null
    readonly limit_hosts: readonly string[]
  }
  readonly foreground: boolean
}

/** A job for the outside. */
export function jobToJson(job: Job, language: Language = 'en'): JobJson {
  const { rehearse, rollbackOnFailure, purgeData, parallel, limitHosts } = optionsFromJson(job.options)
  return {
    id: job.id,
    cluster: job.cluster,
    pipeline: job.pipeline,
    status: job.status,
    current_step: job.currentStep,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    requested_by: job.requestedBy,
    worker: job.worker,
    attempt: job.attempt,
    cancel_requested: job.cancelRequested,
    error: errorJson(job.error, language),
    options: { rehearse, rollback_on_failure: rollbackOnFailure, purge_data: purgeData, parallel, limit_hosts: [...limitHosts] },
    foreground: job.foreground,
  }
}

/** A recorded error in the words of a language. */
export function errorJson(recorded: Json | null, language: Language = 'en'): ErrorJson | null {
  if (recorded === null) return null
  const error = errorFromJson(recorded as { readonly [key: string]: Json })
  return { code: error.code, ...error.text(language) }
}
