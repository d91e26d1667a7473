import type { JobJson } from '../app/jobs/index.ts'
import { formatMillis } from '../util/time.ts'
import type { ClusterJson } from './job-source.ts'
import { table } from './table.ts'

/** Jobs for people, one a line. */
export function jobTable(jobs: readonly JobJson[], now: number): string {
  if (jobs.length === 0) return 'no jobs\n'
  const rows = [
    ['ID', 'CLUSTER', 'PIPELINE', 'STATUS', 'AGE', 'TOOK', 'NOW'],
    ...jobs.map((job) => [
      job.id.slice(0, 8),
      job.cluster,
      job.pipeline + (job.options.rehearse ? ' (rehearsed)' : ''),
      statusOf(job),
      age(now - Date.parse(job.created_at)),
      took(job, now),
      job.current_step ?? job.error?.code ?? '',
    ]),
  ]
  return table(rows)
}

/** Clusters for people, one a line. */
export function clusterTable(clusters: readonly ClusterJson[], now: number): string {
  if (clusters.length === 0) return 'no clusters\n'
  return table([
    ['NAME', 'STATE', 'VERSION', 'HOSTS', 'LAST JOB', 'AGE'],
    ...clusters.map(({ name, state, kubernetes_version, hosts, last_job }) => [
      name,
      state,
      kubernetes_version ?? '',
      String(hosts),
      `${last_job.id.slice(0, 8)} ${last_job.pipeline} ${statusOf(last_job)}`,
      age(now - Date.parse(last_job.created_at)),
    ]),
  ])
}

/** One job for people, everything that is known of it. */
export function jobText(job: JobJson, now: number): string {
  const lines: readonly (readonly [string, string | null])[] = [
    ['Job', job.id],
    ['Cluster', job.cluster],
    ['Pipeline', job.pipeline],
    ['Status', statusOf(job)],
    ['Now', job.current_step],
    ['Created', job.created_at],
    ['Started', job.started_at],
    ['Finished', job.finished_at],
    ['Took', took(job, now)],
    ['By', job.requested_by],
    [job.finished_at === null ? 'Runs on' : 'Ran on', job.worker === null ? null : job.worker + (job.foreground ? ' (at a terminal)' : '')],
    ['Attempt', job.attempt > 1 ? String(job.attempt) : null],
    ['Options', optionsOf(job)],
    ['Error', job.error === null ? null : `${job.error.code}  ${job.error.problem}`],
    ['Fix', job.error?.fix ?? null],
  ]
  return lines.flatMap(([name, value]) => (value === null || value === '' ? [] : [`${`${name}:`.padEnd(10)}${value}\n`])).join('')
}

const statusOf = (job: JobJson): string => (job.status === 'Processing' && job.cancel_requested ? 'Cancelling' : job.status)

function took({ started_at, finished_at }: JobJson, now: number): string {
  if (started_at === null) return ''
  return formatMillis((finished_at === null ? now : Date.parse(finished_at)) - Date.parse(started_at))
}

function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))}s`
  if (minutes < 120) return `${minutes}m`
  return minutes < 2880 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1440)}d`
}

const optionsOf = ({ options }: JobJson): string =>
  [
    options.rehearse ? 'on simulated hosts' : '',
    options.rollback_on_failure ? 'rollback on failure' : '',
    options.purge_data ? 'purge data' : '',
    options.parallel === null ? '' : `parallel ${options.parallel}`,
    options.limit_hosts.length === 0 ? '' : `only ${options.limit_hosts.join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join(', ')
