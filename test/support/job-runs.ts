import { setTimeout as passed } from 'node:timers/promises'
import type { PipelineName } from '../../src/app/index.ts'
import { type Job, type JobOptions, type Jobs, jobOptions, submitJob } from '../../src/app/jobs/index.ts'
import { parseCluster } from '../../src/config/index.ts'
import { findJob } from '../../src/store/index.ts'
import { runWorker, type WorkerNews, type WorkerOptions } from '../../src/worker/index.ts'
import { portableConfig } from './api.ts'

/** On simulated hosts, and no further than the preparation of the nodes: a second of work, or a dozen at the pace of real hosts. */
export const quick: Partial<JobOptions> = { rehearse: true, until: 'node' }
export const slow: Partial<JobOptions> = { ...quick, realTime: true }

/** Records a job of a test. */
export async function submit(
  jobs: Jobs,
  given: { readonly name?: string; readonly options?: Partial<JobOptions>; readonly pipeline?: PipelineName; readonly text?: string } = {},
): Promise<Job> {
  const text = given.text ?? portableConfig(given.name)
  const { cluster, errors } = parseCluster(text, 'cluster.yaml')
  if (cluster === null) throw new Error(errors.map(({ problem }) => problem).join('\n'))
  const { pipeline = 'create-cluster', options = quick } = given
  return submitJob(jobs, { text, cluster, pipeline, options: jobOptions(options), requestedBy: 'test' })
}

/** A worker in this process until the block ends. */
export function startWorker(jobs: Jobs, given: Partial<WorkerOptions> = {}) {
  const stop = new AbortController()
  const news: WorkerNews[] = []
  const running = runWorker(jobs, { concurrency: 2, retention: null, stop: stop.signal, tell: (one) => news.push(one), ...given })
  const end = async (): Promise<void> => {
    stop.abort(new Error('the test is over'))
    await running
  }
  return { news, end, [Symbol.asyncDispose]: end }
}

/** Waits until a job is as wanted, or fails with how it is. */
export async function until(jobs: Jobs, id: string, wanted: (job: Job) => boolean, within = 60_000): Promise<Job> {
  const end = Date.now() + within
  for (;;) {
    const job = await findJob(jobs.database, id)
    if (wanted(job)) return job
    if (Date.now() > end) throw new Error(`job ${id} is still ${JSON.stringify(job)}`)
    await passed(20)
  }
}

export const isDone = ({ status }: Job): boolean => status !== 'Pending' && status !== 'Processing'
