import { join } from 'node:path'
import { type Ask, type Cluster, configError, parseCluster } from '../../config/index.ts'
import type { Report } from '../../engine/index.ts'
import { asKubexmError, fail, type KubexmError } from '../../error/index.ts'
import { errorToJson, type RunEvent, type Sink } from '../../event/index.ts'
import { type PipelineName, pipelines } from '../../pipeline/index.ts'
import { jobStoreSink } from '../../sink/index.ts'
import { appendEvents, type Claim, endJob, findJob, type JobEnd, mostEventsAtOnce, saveGraph } from '../../store/index.ts'
import { eventually } from '../../util/eventually.ts'
import type { Millis } from '../../util/time.ts'
import { runOperation } from '../operation.ts'
import { plannedGraph } from './graph.ts'
import { type KeptClaim, keepClaim, leaseTime } from './keep-claim.ts'
import type { Jobs } from './open.ts'
import { optionsFromJson } from './options.ts'

/** What a job is run with besides what is recorded of it. */
export interface Surroundings {
  /** Besides the job database, which always gets all events. */
  readonly sinks: readonly Sink[]
  readonly ask: Ask
  readonly cancel: AbortSignal
  readonly abandon: AbortSignal
  /** Aborted when this process has to end: the job is left as it is for another worker. */
  readonly handOver: AbortSignal
  /** `if-begun`: continue what this very job has begun here, or begin it. */
  readonly resume: boolean | 'if-begun'
  /** Whether somebody whose claim has ended may still be at work. */
  readonly takesOver: boolean
  /** The config, where it was read already; else it is opened from the job. */
  readonly cluster?: Cluster
  /** Also put the cluster into the kubeconfig of whoever sits before the run; a worker has nobody there. */
  readonly mergeKubeconfig?: boolean
  readonly lease?: Millis
}

/**
 * Runs a claimed job to its end and records how it ended. What goes wrong on hosts is in the report; anything else is thrown, and recorded
 * too. A job that is lost to another worker is left to it, at once.
 */
export async function runJob(jobs: Jobs, claim: Claim, surroundings: Surroundings): Promise<Report> {
  const lease = surroundings.lease ?? leaseTime
  await using kept = keepClaim(jobs.database, claim, lease)
  const watch = finalErrors()
  const store = jobStoreSink({
    append: (events, currentStep) => appendEvents(jobs.database, claim, events, currentStep),
    nextSeq: claim.nextSeq,
    most: mostEventsAtOnce,
    isFinal: (error) => kept.lost.aborted || asKubexmError(error).code === 'KX_JOB_LOST',
    onLost: kept.lose,
  })
  const finish = (end: JobEnd): Promise<void> => endSurely(jobs, claim, end, kept, lease)
  try {
    const report = await run(jobs, claim, surroundings, kept, [...surroundings.sinks, store, watch.sink])
    if (kept.lost.aborted) throw kept.lost.reason
    await finish(endOf(report, claim, watch.errors(), surroundings))
    return report
  } catch (thrown) {
    if (kept.lost.aborted) throw kept.lost.reason
    const error = asKubexmError(thrown)
    const status = stopped(kept, surroundings) ?? 'Failed'
    // Those who watch have seen nothing yet: the run never began.
    if (!watch.ended() && status !== 'Pending') store.accept(lastEvent(claim, status === 'Cancelled' ? 'cancelled' : 'failed', error))
    await store.flush?.()
    await finish({ status, ...(status === 'Failed' ? { error: errorToJson(error) } : {}) })
    throw error
  }
}

async function run(jobs: Jobs, claim: Claim, given: Surroundings, kept: KeptClaim, sinks: readonly Sink[]): Promise<Report> {
  const { job } = claim
  const { configDirectory: _, limitHosts, ...options } = optionsFromJson(job.options)
  return runOperation({
    ...options,
    cluster: given.cluster ?? openedConfig(jobs, claim),
    pipeline: pipelineOf(job.pipeline),
    directory: jobs.directory,
    only: limitHosts,
    mergeKubeconfig: given.mergeKubeconfig === true,
    ask: given.ask,
    sinks,
    cancel: AbortSignal.any([given.cancel, kept.cancelled, kept.lost, given.handOver]),
    abandon: AbortSignal.any([given.abandon, kept.lost, given.handOver]),
    resume: given.resume,
    job: {
      id: job.id,
      authority: { name: jobs.id, fence: claim.fence },
      takesOver: given.takesOver,
      onPlan: (graph) => saveGraph(jobs.database, claim, plannedGraph(graph)),
    },
  })
}

/** The config of a job, its secrets opened: just before it is used, and nowhere else. */
function openedConfig({ key }: Jobs, { job, config }: Claim): Cluster {
  const file = join(optionsFromJson(job.options).configDirectory, `${job.cluster}.yaml`)
  const result = parseCluster(config, file, { key })
  if (result.cluster === null) throw configError(file, result)
  return result.cluster
}

function pipelineOf(name: string): PipelineName {
  if (!Object.hasOwn(pipelines, name)) throw fail('KX_PIPELINE_UNKNOWN', { pipeline: name })
  return name as PipelineName
}

const isDelete = (pipeline: string): boolean => pipeline === 'delete-cluster'

function endOf({ outcome }: Report, { job }: Claim, errors: readonly KubexmError[], surroundings: Surroundings): JobEnd {
  if (outcome === 'success') return { status: 'Success', leavesHome: isDelete(job.pipeline) }
  if (outcome === 'cancelled') return { status: surroundings.handOver.aborted ? 'Pending' : 'Cancelled' }
  const [error] = errors
  return { status: 'Failed', ...(error === undefined ? {} : { error: errorToJson(error) }) }
}

/** How a job ends that did not fail but was stopped; null when nobody stopped it. */
function stopped(kept: KeptClaim, { cancel, handOver }: Surroundings): 'Cancelled' | 'Pending' | null {
  if (kept.cancelled.aborted || cancel.aborted) return 'Cancelled'
  return handOver.aborted ? 'Pending' : null
}

/** Listens for the end of the run: its errors come without secrets there. */
function finalErrors(): { readonly sink: Sink; errors(): readonly KubexmError[]; ended(): boolean } {
  let last: Extract<RunEvent, { type: 'pipeline.finished' }> | null = null
  const accept = (event: RunEvent): void => {
    if (event.type === 'pipeline.finished') last = event
  }
  return { sink: { accept }, errors: () => last?.errors ?? [], ended: () => last !== null }
}

const lastEvent = ({ job }: Claim, outcome: 'failed' | 'cancelled', error: KubexmError): RunEvent => ({
  type: 'pipeline.finished',
  at: new Date(),
  pipelineId: job.id,
  pipeline: job.pipeline,
  outcome,
  ms: 0,
  errors: outcome === 'failed' ? [error] : [],
})

/** A database that is away for a moment must not make a finished job look unfinished: it is tried for as long as the job is ours. */
async function endSurely({ database }: Jobs, claim: Claim, end: JobEnd, kept: KeptClaim, lease: Millis): Promise<void> {
  let last: unknown = null
  const ended = await eventually(
    async () => {
      try {
        await endJob(database, claim, end)
        return true
      } catch (error) {
        const before = last
        last = error
        // The attempt before this one may have come through though its answer did not.
        if (asKubexmError(error).code === 'KX_JOB_LOST') {
          if (before !== null && (await findJob(database, claim.job.id)).status === end.status) return true
          throw error
        }
        return kept.lost.aborted ? false : null
      }
    },
    { every: 500, within: lease },
  )
  if (ended !== true) throw last
}
