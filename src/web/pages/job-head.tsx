import { type ReactNode, useState } from 'react'
import type { Job } from '../api/types.ts'
import { mayChange, useApp } from '../app/context.ts'
import { addressOf } from '../app/route.ts'
import type { Say } from '../i18n/text.ts'
import { dateText, durationText } from '../i18n/time.ts'
import { resultLabel } from '../log/log-text.ts'
import { Dialog } from '../parts/dialog.tsx'
import { jobDuration, pipelineText } from '../parts/job-table.tsx'
import { ProblemBox } from '../parts/problem-box.tsx'
import { JobMark } from '../parts/status.tsx'
import { TallyBar } from '../parts/tally-bar.tsx'
import { timeLeft } from '../run/eta.ts'
import type { Run } from '../run/run.ts'
import { doneIn } from '../run/states.ts'

interface Props {
  readonly job: Job
  readonly run: Run
  readonly now: number
  readonly onJob: (job: Job) => void
}

/** What job this is, how far it is, and the buttons that change it. */
export function JobHead({ job, run, now, onJob }: Props) {
  const { api, say, session } = useApp()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const act = async (action: (id: string) => Promise<Job>): Promise<void> => {
    setAsking(false)
    setBusy(true)
    setRefused(null)
    try {
      onJob(await action(job.id))
    } catch (why) {
      setRefused(why)
    }
    setBusy(false)
  }
  const running = job.finished_at === null
  const canCancel = mayChange(session) && running && !job.cancel_requested
  const canResume = mayChange(session) && (job.status === 'Failed' || job.status === 'Cancelled')
  return (
    <header className="job-head">
      <div className="head">
        <h1>
          <a href={addressOf({ page: 'cluster', name: job.cluster })}>{job.cluster}</a> <span className="faint">/</span>{' '}
          {pipelineText(job.pipeline, say)}
        </h1>
        <JobMark job={job} />
        <span className="spring" />
        {canCancel ? (
          <button type="button" disabled={busy} onClick={() => setAsking(true)}>
            {say('job.cancel')}
          </button>
        ) : null}
        {canResume ? (
          <button type="button" className="primary" disabled={busy} onClick={() => void act(api.resume)}>
            {say('job.resume')}
          </button>
        ) : null}
      </div>
      {refused === null ? null : <ProblemBox problem={refused} say={say} />}
      {run.model.steps === 0 ? null : <Progress run={run} now={now} running={running} />}
      <Facts job={job} now={now} />
      {running ? null : <Results run={run} />}
      {asking ? (
        <Dialog title={say('job.cancel.title')} onClose={() => setAsking(false)}>
          <p>{say('job.cancel.text')}</p>
          <div className="row">
            <button type="button" className="danger solid" onClick={() => void act(api.cancel)}>
              {say('job.cancel.submit')}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              {say('job.keep')}
            </button>
          </div>
        </Dialog>
      ) : null}
    </header>
  )
}

function Progress({ run, now, running }: { readonly run: Run; readonly now: number; readonly running: boolean }) {
  const { say } = useApp()
  const left = running ? timeLeft(run, now) : null
  return (
    <div className="progress">
      <TallyBar tally={run.total} />
      <span>{say('job.done', { done: doneIn(run.total), total: run.model.steps })}</span>
      {left === null ? null : <span className="faint">{say('job.left', { time: durationText(Math.ceil(left / 1000) * 1000) })}</span>}
    </div>
  )
}

function Facts({ job, now }: { readonly job: Job; readonly now: number }) {
  const { say, language } = useApp()
  const took = jobDuration(job, now)
  const options = optionsText(job, say)
  const facts: readonly (readonly [string, ReactNode])[] = [
    ...(took === null ? [] : [[say(job.finished_at === null ? 'job.elapsed' : 'job.took'), durationText(took)] as const]),
    [say('job.submitted'), dateText(job.created_at, language)],
    [say('job.by'), job.requested_by],
    [say('job.worker'), job.foreground ? say('job.foreground') : (job.worker ?? say('job.noWorker'))],
    ...(job.attempt > 1 ? [[say('job.attempt'), job.attempt] as const] : []),
    ...(options === '' ? [] : [[say('job.options'), options] as const]),
    ['ID', <code key="id">{job.id}</code>],
  ]
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What the run has to say in the end: where the cluster is, how to use it, what was left. */
function Results({ run }: { readonly run: Run }) {
  const { say } = useApp()
  if (run.results.size === 0) return null
  return (
    <dl className="facts results">
      {[...run.results].flatMap(([label, said]) =>
        [...said].map(([text, hosts]) => (
          <div key={`${label} ${text}`}>
            <dt>{resultLabel(label, say)}</dt>
            <dd>
              <code>{text}</code> {hosts.length === 0 ? null : <span className="faint">{hosts.join(', ')}</span>}
            </dd>
          </div>
        )),
      )}
    </dl>
  )
}

function optionsText({ options }: Job, say: Say): string {
  return [
    options.rehearse ? say('job.option.rehearse') : '',
    options.rollback_on_failure ? say('job.option.rollback_on_failure') : '',
    options.purge_data ? say('job.option.purge_data') : '',
    options.parallel === null ? '' : say('job.option.parallel', { n: options.parallel }),
    options.limit_hosts.length === 0 ? '' : say('job.option.limit_hosts', { hosts: options.limit_hosts.join(', ') }),
  ]
    .filter((text) => text !== '')
    .join(', ')
}
