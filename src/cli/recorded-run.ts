import { dirname, resolve } from 'node:path'
import type { RunRequest, runOperation } from '../app/index.ts'
import { type JobJson, type JobOptions, type Jobs, jobOptions, openJobs, runForeground, submitJob } from '../app/jobs/index.ts'
import { configError, fillReferences, parseCluster } from '../config/index.ts'
import { fail } from '../error/index.ts'
import type { Sink } from '../event/index.ts'
import { terminalSink } from '../sink/index.ts'
import type { ChangeOptions } from './cluster-options.ts'
import { watchJob } from './job-actions.ts'
import { jobSource } from './job-source.ts'
import { askPerson, personName } from './person.ts'
import { serverClient } from './server-client.ts'

/** A change as it was asked for on the command line, and the text of its config. */
interface Change {
  readonly request: Omit<RunRequest, 'sinks'>
  readonly text: string
  readonly options: ChangeOptions
}

/** Records a job in the job database and runs it in this process; another terminal can watch it. */
export async function runRecorded({ request, text, options }: Change, sinks: readonly Sink[]): ReturnType<typeof runOperation> {
  await using jobs = await openJobs({ directory: options.directory })
  const { cluster, pipeline, ask, cancel, abandon, resume, mergeKubeconfig = false } = request
  const submission = {
    text,
    cluster,
    pipeline,
    options: recordedOptions(request, options),
    requestedBy: personName(),
    resume: resume === true,
  }
  return await runForeground(jobs, submission, { sinks, ask, cancel, abandon, mergeKubeconfig })
}

/** Leaves a change to a worker, or sends it to a server; gives the exit code. */
export async function submitChange(change: Change): Promise<number> {
  const { request, options } = change
  if (options.resume) {
    const what = '--resume continues what was begun here; a job of a worker is continued with: kubexm resume job ID'
    throw fail('KX_USAGE', { what, command: request.pipeline.replace('-', ' ') })
  }
  if (request.mergeKubeconfig === true) {
    const what = '--merge-kubeconfig is about the kubeconfig of whoever runs the job: with --detach and --server that is somebody else'
    throw fail('KX_USAGE', { what, command: request.pipeline.replace('-', ' ') })
  }
  const id = options.server === undefined ? await submitHere(change) : await submitThere(change, options.server)
  if (options.detach || options.server === undefined) {
    process.stdout.write(`Job created with ID: ${id}. Run 'kubexm get job ${id}' to check status.\n`)
    return 0
  }
  await using source = await jobSource({ directory: options.directory, server: options.server })
  return await watchJob(source, { id } satisfies Pick<JobJson, 'id'>, terminalSink({ stream: process.stdout, verbose: options.verbose }))
}

/** Secrets are resolved now: a worker has another environment, and nobody at its terminal. */
const filled = ({ text, options }: Change): Promise<string> =>
  fillReferences(text, { directory: dirname(resolve(options.file)), ask: askPerson })

async function submitHere(change: Change): Promise<string> {
  const { request, options } = change
  await using jobs: Jobs = await openJobs({ directory: options.directory })
  const { cluster, pipeline } = request
  const wish = { cluster, pipeline, options: recordedOptions(request, options), requestedBy: personName() }
  return (await submitJob(jobs, { ...wish, text: await filled(change) })).id
}

async function submitThere(change: Change, server: string): Promise<string> {
  const { request, options } = change
  refuseLocalChoices(change)
  const client = serverClient(server)
  const query = new URLSearchParams({
    ...(request.rehearse ? { rehearse: 'true' } : {}),
    ...(request.rollbackOnFailure ? { rollback_on_failure: 'true' } : {}),
    ...(request.parallel === null ? {} : { parallel: String(request.parallel) }),
    ...(request.only.length === 0 ? {} : { limit_hosts: request.only.join(',') }),
    ...(options.maxFailed === undefined ? {} : { max_failed: String(options.maxFailed) }),
    ...(request.purgeData ? { purge_data: 'true' } : {}),
  })
  if (request.pipeline === 'delete-cluster') {
    const { job_id } = await client.send('DELETE', `/api/v1/clusters/${encodeURIComponent(request.cluster.metadata.name)}?${query}`)
    return String(job_id)
  }
  const body = await filled(change)
  // Said here it has the file's name and lines; the server would say the same.
  const portable = parseCluster(body, options.file, { portable: true })
  if (portable.cluster === null) throw configError(options.file, portable)
  const { job_id } = await client.send('POST', `/api/v1/clusters?${query}`, { body, type: 'application/yaml' })
  return String(job_id)
}

/** What means something on this machine only. */
function refuseLocalChoices({ request, options }: Change): void {
  const local = [
    options.bundle === undefined ? null : '--bundle',
    options.plan === undefined ? null : '--plan',
    options.catalogue === undefined ? null : '--catalogue',
    options.mirror === undefined ? null : '--mirror',
    options.registryMirror === undefined ? null : '--registry-mirror',
    options.zone === undefined ? null : '--zone',
    options.until === undefined ? null : '--until',
  ].filter((name) => name !== null)
  if (local.length === 0) return
  throw fail('KX_USAGE', { what: `${local.join(', ')} cannot be sent to a server`, command: request.pipeline.replace('-', ' ') })
}

function recordedOptions(request: Omit<RunRequest, 'sinks'>, { file }: ChangeOptions): JobOptions {
  const { rehearse, rollbackOnFailure, purgeData, parallel, only, until, maxFailed, savedPlan } = request
  const { bundle, catalogue, ...sources } = request.sources
  return jobOptions({
    rehearse,
    rollbackOnFailure,
    purgeData,
    parallel,
    limitHosts: only,
    until,
    maxFailed,
    savedPlan: savedPlan === null ? null : resolve(savedPlan),
    sources: {
      ...sources,
      ...(bundle === undefined ? {} : { bundle: resolve(bundle) }),
      ...(catalogue === undefined ? {} : { catalogue: resolve(catalogue) }),
    },
    configDirectory: dirname(resolve(file)),
  })
}
