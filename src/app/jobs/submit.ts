import { type Cluster, sealConfig } from '../../config/index.ts'
import type { PipelineName } from '../../pipeline/index.ts'
import { configOf, type Job, lastConfigJob, type NewJob, submitJob as recordJob } from '../../store/index.ts'
import type { Jobs } from './open.ts'
import { changes, type JobOptions, optionsToJson } from './options.ts'

/** What somebody asks for. */
interface Wish {
  readonly pipeline: PipelineName
  readonly options: JobOptions
  readonly requestedBy: string
  /** A request that is sent again with the same key gives the same job. */
  readonly idempotencyKey?: string
}

/** A wish with the config it is about. */
export interface Submission extends Wish {
  /** A valid config, and what was read from it. */
  readonly text: string
  readonly cluster: Cluster
}

/** Records a job for a worker to take: literal secrets in the config are sealed. */
export async function submitJob(jobs: Jobs, submission: Submission): Promise<Job> {
  const { pipeline, text, options } = submission
  return recordJob(jobs.database, {
    ...newJob(jobs, submission),
    ...idempotency(jobs, submission, [pipeline, text, optionsToJson(options)]),
  })
}

/** Records a job about a cluster that is known, with the config it was last worked on with. */
export async function submitForCluster(jobs: Jobs, name: string, wish: Wish): Promise<Job> {
  const { database } = jobs
  const config = await configOf(database, await lastConfigJob(database, name))
  const { pipeline, options } = wish
  return recordJob(database, {
    ...recorded(wish),
    cluster: name,
    config,
    ...idempotency(jobs, wish, [pipeline, name, optionsToJson(options)]),
  })
}

/** A submission as it is recorded. */
export const newJob = ({ key }: Jobs, submission: Submission): NewJob => ({
  ...recorded(submission),
  cluster: submission.cluster.metadata.name,
  config: sealConfig(submission.text, key),
})

const recorded = ({ pipeline, options, requestedBy }: Wish) => ({
  pipeline,
  options: optionsToJson(options),
  requestedBy,
  changes: changes(pipeline, options),
})

const idempotency = ({ key }: Jobs, { idempotencyKey }: Wish, request: readonly unknown[]) =>
  idempotencyKey === undefined ? {} : { idempotency: { key: idempotencyKey, requestHash: key.fingerprint(JSON.stringify(request)) } }
