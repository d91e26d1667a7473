import { type JobJson, openJobs, requestResume, runWaiting } from '../app/jobs/index.ts'
import { errorFromJson, eventToJson, type RunEvent, type Sink } from '../event/index.ts'
import { isShown, logText, terminalSink } from '../sink/index.ts'
import { exitCodeOf, interrupts } from './interrupts.ts'
import type { JobPlace, ListOptions, LogOptions, ResumeOptions, ShowOptions } from './job-options.ts'
import { type JobSource, jobSource } from './job-source.ts'
import { askPerson } from './person.ts'
import { clusterTable, jobTable, jobText } from './show-jobs.ts'

const print = (text: string): void => void process.stdout.write(text)
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** `get jobs`. */
export async function showJobs({ output, ...options }: ListOptions): Promise<number> {
  await using source = await jobSource(options)
  const page = await source.list(options)
  print(output === 'json' ? json(page) : jobTable(page.items, Date.now()))
  if (output === 'text' && page.next !== null) print(`there are more: --limit ${options.limit * 2} shows them\n`)
  return 0
}

/** `get clusters`. */
export async function showClusters({ output, limit, ...place }: ListOptions): Promise<number> {
  await using source = await jobSource(place)
  const clusters = await source.clusters(limit)
  print(output === 'json' ? json({ items: clusters }) : clusterTable(clusters, Date.now()))
  return 0
}

/** `get job`. */
export async function showJob(id: string, { output, watch, ...place }: ShowOptions): Promise<number> {
  await using source = await jobSource(place)
  const job = await source.get(id)
  if (watch) return await watchJob(source, job, terminalSink({ stream: process.stdout }))
  print(output === 'json' ? json(job) : jobText(job, Date.now()))
  return 0
}

/** Shows a job from its beginning to its end; gives the exit code the run itself would have had. */
export async function watchJob(source: JobSource, { id }: Pick<JobJson, 'id'>, sink: Sink): Promise<number> {
  const signals = interrupts()
  let last: RunEvent | null = null
  try {
    for await (const event of source.events(id, { follow: true, signal: signals.cancel })) {
      sink.accept(event)
      if (event.type === 'pipeline.finished') last = event
    }
  } finally {
    await sink.flush?.()
  }
  if (signals.cancel.aborted) {
    print(`\nthe job goes on; stop it with: kubexm cancel job ${id}\n`)
    return 130
  }
  const { status, error } = await source.get(id)
  if (status === 'Success') return 0
  if (status === 'Cancelled') return 130
  if (last?.type === 'pipeline.finished' && last.errors.length > 0) return exitCodeOf({ outcome: last.outcome, errors: last.errors })
  return error === null ? 13 : errorFromJson({ ...error }).exitCode
}

/** `logs job`. */
export async function showLog(id: string, { output, follow, level, ...place }: LogOptions): Promise<number> {
  await using source = await jobSource(place)
  const signals = interrupts()
  for await (const event of source.events(id, { follow, signal: signals.cancel })) {
    const line = logText(event)
    if (line === null || !isShown(line.level, level)) continue
    print(output === 'json' ? `${JSON.stringify(eventToJson(event))}\n` : `${line.text}\n`)
  }
  return 0
}

/** `cancel job`. */
export async function cancelJob(id: string, place: JobPlace): Promise<number> {
  await using source = await jobSource(place)
  const job = await source.cancel(id)
  print(job.status === 'Cancelled' ? `job ${job.id} is cancelled\n` : `job ${job.id} is being cancelled\n`)
  return 0
}

/** `resume job`: with a server or `--detach` a worker continues it, else this process. */
export async function resumeJob(id: string, { detach, verbose, ...place }: ResumeOptions): Promise<number> {
  if (detach || place.server !== undefined) {
    await using source = await jobSource(place)
    const job = await source.resume(id)
    if (!detach) return await watchJob(source, job, terminalSink({ stream: process.stdout, verbose }))
    print(`job ${job.id} waits for a worker\n`)
    return 0
  }
  await using jobs = await openJobs({ directory: place.directory })
  const job = await requestResume(jobs.database, id)
  const signals = interrupts()
  const sink = terminalSink({ stream: process.stdout, verbose, resumeCommand: `kubexm resume job ${job.id}` })
  const report = await runWaiting(jobs, job.id, { sinks: [sink], ask: askPerson, ...signals })
  if (report !== null) return exitCodeOf(report)
  // A worker was quicker, or another job of the cluster is at work: then it is watched.
  await using source = await jobSource(place)
  return await watchJob(source, job, sink)
}
