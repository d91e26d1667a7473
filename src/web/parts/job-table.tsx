import type { Job } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { addressOf, jobRoute } from '../app/route.ts'
import { isMessage, type Say } from '../i18n/text.ts'
import { agoText, dateText, durationText } from '../i18n/time.ts'
import { type Column, DataTable } from './data-table.tsx'
import { JobMark } from './status.tsx'

/** The name of a pipeline in words; one we do not know keeps its own. */
export function pipelineText(pipeline: string, say: Say): string {
  const key = `pipeline.${pipeline}`
  return isMessage(key) ? say(key) : pipeline
}

/** How long a job took, or has been running. */
export function jobDuration(job: Job, now: number): number | null {
  if (job.started_at === null) return null
  return (job.finished_at === null ? now : Date.parse(job.finished_at)) - Date.parse(job.started_at)
}

interface Props {
  readonly jobs: readonly Job[]
  readonly now: number
  /** On the page of one cluster its name would be said in every row. */
  readonly withCluster?: boolean
}

/** Jobs, newest first, each leading to its page. */
export function JobTable({ jobs, now, withCluster = true }: Props) {
  const { say, language } = useApp()
  const cluster: Column<Job> = {
    title: say('jobs.col.cluster'),
    cell: (job) => <a href={addressOf({ page: 'cluster', name: job.cluster })}>{job.cluster}</a>,
  }
  const columns: readonly Column<Job>[] = [
    { title: say('jobs.col.status'), cell: (job) => <JobMark job={job} /> },
    { title: say('jobs.col.job'), cell: (job) => <JobLink job={job} /> },
    ...(withCluster ? [cluster] : []),
    { title: say('jobs.col.step'), kind: 'grow', cell: atText },
    {
      title: say('jobs.col.created'),
      cell: (job) => <span title={dateText(job.created_at, language)}>{agoText(Date.parse(job.created_at), now, language)}</span>,
    },
    { title: say('jobs.col.duration'), kind: 'number', named: true, cell: (job) => durationOrNothing(jobDuration(job, now)) },
    { title: say('jobs.col.by'), named: true, cell: (job) => job.requested_by },
  ]
  return <DataTable columns={columns} rows={jobs} keyOf={({ id }) => id} />
}

const durationOrNothing = (took: number | null): string => (took === null ? '' : durationText(took))

/** What a job is about, leading to its page. */
export function JobLink({ job, short = true }: { readonly job: Job; readonly short?: boolean }) {
  const { say } = useApp()
  return (
    <>
      <a href={addressOf(jobRoute(job.id))}>
        {pipelineText(job.pipeline, say)} {short ? <code>{job.id.slice(0, 8)}</code> : null}
      </a>
      {job.options.rehearse ? <span className="tag">{say('jobs.rehearsal')}</span> : null}
    </>
  )
}

function atText(job: Job) {
  if (job.error !== null && job.status === 'Failed')
    return (
      <span className="cut" title={job.error.problem}>
        <code>{job.error.code}</code> {job.error.problem}
      </span>
    )
  return job.status === 'Processing' ? <span className="cut">{job.current_step}</span> : null
}
