import { type Jobs, leaseTime, runJob } from '../app/jobs/index.ts'
import { asKubexmError, type KubexmError } from '../error/index.ts'
import type { Sink } from '../event/index.ts'
import { type Claim, claimJob, endDeadForeground, removeOldAudit, removeOldJobs } from '../store/index.ts'
import { type Millis, minutes, seconds, systemClock } from '../util/time.ts'

/** What a worker tells those who run it. */
export type WorkerNews =
  | { readonly type: 'claimed'; readonly claim: Claim }
  | { readonly type: 'ended'; readonly claim: Claim; readonly outcome: string }
  | { readonly type: 'failed'; readonly claim: Claim; readonly error: KubexmError }
  | { readonly type: 'trouble'; readonly error: KubexmError }

export interface WorkerOptions {
  /** How many jobs at once; those of one cluster never run side by side. */
  readonly concurrency: number
  /** Aborted when the worker has to end: its jobs are handed back and go on elsewhere. */
  readonly stop: AbortSignal
  /** Jobs that ended longer ago are removed; null keeps them all. */
  readonly retention: Millis | null
  /** Also jobs of clusters whose work directory is another one. */
  readonly adopt?: boolean
  /** Besides the job database. */
  readonly sinks?: readonly Sink[]
  readonly tell: (news: WorkerNews) => void
  readonly lease?: Millis
}

const lookEvery: Millis = 250
const tidyEvery: Millis = seconds(20)
const removeEvery: Millis = minutes(60)

const never = new AbortController().signal

/** Takes jobs from the database and runs them until told to stop; then hands back what is not finished, and ends. */
export async function runWorker(jobs: Jobs, options: WorkerOptions): Promise<void> {
  const tidying = tidy(jobs, options)
  await Promise.all(Array.from({ length: options.concurrency }, () => lane(jobs, options)))
  await tidying
}

/** One job after the other. */
async function lane(jobs: Jobs, options: WorkerOptions): Promise<void> {
  const { stop, tell } = options
  while (!stop.aborted) {
    const claim = await next(jobs, options)
    if (claim === null) await pause(lookEvery, stop)
    else {
      tell({ type: 'claimed', claim })
      try {
        const { outcome } = await work(jobs, claim, options)
        tell({ type: 'ended', claim, outcome: stop.aborted && outcome === 'cancelled' ? 'handed over' : outcome })
      } catch (thrown) {
        // It is recorded with the job: a worker outlives the jobs it runs.
        tell({ type: 'failed', claim, error: asKubexmError(thrown) })
      }
    }
  }
}

async function next(
  { database, worker, process, home }: Jobs,
  { tell, stop, adopt = false, lease = leaseTime }: WorkerOptions,
): Promise<Claim | null> {
  try {
    return await claimJob(database, { worker, process, home, lease, adopt })
  } catch (thrown) {
    tell({ type: 'trouble', error: asKubexmError(thrown) })
    await pause(seconds(2), stop)
    return null
  }
}

function work(jobs: Jobs, claim: Claim, { stop, sinks = [], lease = leaseTime }: WorkerOptions) {
  return runJob(jobs, claim, {
    sinks,
    ask: async () => null,
    cancel: never,
    abandon: never,
    handOver: stop,
    resume: 'if-begun',
    takesOver: claim.job.attempt > 1,
    lease,
  })
}

/** Says of foreground jobs whose process died that they failed, and removes what is too old. */
async function tidy({ database }: Jobs, { stop, tell, retention }: WorkerOptions): Promise<void> {
  let removedAt = Number.NEGATIVE_INFINITY
  while (!stop.aborted) {
    try {
      await endDeadForeground(database)
      if (retention !== null && systemClock.steady() - removedAt > removeEvery) {
        removedAt = systemClock.steady()
        await removeOldJobs(database, retention)
        await removeOldAudit(database, retention)
      }
    } catch (thrown) {
      tell({ type: 'trouble', error: asKubexmError(thrown) })
    }
    await pause(tidyEvery, stop)
  }
}

async function pause(ms: Millis, stop: AbortSignal): Promise<void> {
  try {
    await systemClock.sleep(ms, stop)
  } catch {
    // Told to stop: the caller looks.
  }
}
