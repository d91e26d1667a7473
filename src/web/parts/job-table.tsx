import type { Job } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { addressOf, jobRoute } from '../app/route.ts'
import { isMessage, type Say } from '../i18n/text.ts'
import { agoText, dateText, durationText } from '../i18n/time.ts'
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
  return (
    <div className="table-frame">
      <table className="stack">
        <thead>
          <tr>
            <th>{say('jobs.col.status')}</th>
            <th>{say('jobs.col.job')}</th>
            {withCluster ? <th>{say('jobs.col.cluster')}</th> : null}
            <th className="grow">{say('jobs.col.step')}</th>
            <th>{say('jobs.col.created')}</th>
            <th className="number">{say('jobs.col.duration')}</th>
            <th>{say('jobs.col.by')}</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => {
            const took = jobDuration(job, now)
            return (
              <tr key={job.id}>
                <td>
                  <JobMark job={job} />
                </td>
                <td>
                  <a href={addressOf(jobRoute(job.id))}>
                    {pipelineText(job.pipeline, say)} <code>{job.id.slice(0, 8)}</code>
                  </a>
                  {job.options.rehearse ? <span className="tag">{say('jobs.rehearsal')}</span> : null}
                </td>
                {withCluster ? (
                  <td>
                    <a href={addressOf({ page: 'cluster', name: job.cluster })}>{job.cluster}</a>
                  </td>
                ) : null}
                <td className="grow">{atText(job)}</td>
                <td title={dateText(job.created_at, language)}>{agoText(Date.parse(job.created_at), now, language)}</td>
                <td className="number">{took === null ? '' : durationText(took)}</td>
                <td>{job.requested_by}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
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
