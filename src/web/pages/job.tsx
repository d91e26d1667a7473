import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useApp } from '../app/context.ts'
import { addressOf, go, type JobTab, jobRoute, jobTabs } from '../app/route.ts'
import { useNow } from '../app/use-asked.ts'
import { Detail } from '../graph/detail.tsx'
import { GraphView } from '../graph/graph-view.tsx'
import type { Target } from '../graph/hit.ts'
import { Legend } from '../graph/legend.tsx'
import type { LogFilter } from '../log/filter.ts'
import { levels } from '../log/log-text.ts'
import { LogView } from '../log/log-view.tsx'
import { ProblemBox } from '../parts/problem-box.tsx'
import { RunFollower } from '../run/follow-run.ts'
import { TimelineView } from '../timeline/timeline-view.tsx'
import { JobError } from './job-error.tsx'
import { JobHead } from './job-head.tsx'
import { Problems } from './problems.tsx'

interface Props {
  readonly id: string
  readonly tab: JobTab
  readonly query: Readonly<Record<string, string>>
}

/** One job, live: what it does where, what it says, what went wrong, and the buttons to stop it and to go on. */
export function JobPage({ id, tab, query }: Props) {
  const { api, say } = useApp()
  const follower = useMemo(() => new RunFollower(api, id), [api, id])
  useEffect(() => follower.start(), [follower])
  const { run, version, job, problem, connection } = useSyncExternalStore(follower.subscribe, follower.sight)
  const live = job !== null && job.finished_at === null
  const now = useNow(live ? 1000 : 0)
  const [selected, setSelected] = useState<Target | null>(null)
  const filter = useMemo(() => filterOf(query), [query])
  const setFilter = useCallback((next: LogFilter) => go(jobRoute(id, 'log', { ...next }), tab === 'log'), [id, tab])

  useEffect(() => {
    if (job !== null) document.title = `${say(`status.${job.status}`)} · ${job.cluster} · kubexm`
    return () => {
      document.title = 'kubexm'
    }
  }, [job, say])

  const showNode = (node: string): void => {
    const index = run.model.indexOf.get(node)
    if (index !== undefined) setSelected({ kind: 'node', index })
    go(jobRoute(id, 'graph'))
  }
  if (problem !== null && job === null)
    return (
      <section className="page">
        <ProblemBox problem={problem} say={say} />
      </section>
    )
  if (job === null) return <p className="empty">{say('app.loading')}</p>
  const troubles = run.problems.filter(({ kind }) => kind !== 'retry')
  const worst = troubles.some(({ severity }) => severity === 'error') ? 'error' : 'warning'
  const planned = run.model.nodes.length > 0
  const waiting = <p className="empty">{say(live ? 'job.notPlanned' : 'job.notPlanned.ended')}</p>
  return (
    <section className="job-page">
      <JobHead job={job} run={run} now={now} onJob={(changed) => follower.took(changed)} />
      {job.status === 'Failed' ? <JobError job={job} run={run} onAll={() => go(jobRoute(id, 'problems'))} /> : null}
      {connection === 'lost' ? (
        <p className="lost" role="status">
          {say('job.connection.lost')}
        </p>
      ) : null}
      <nav className="tabs" aria-label={say('job.tabs')}>
        {jobTabs.map((name) => (
          <a key={name} href={addressOf(jobRoute(id, name, name === 'log' ? query : {}))} aria-current={tab === name ? 'page' : undefined}>
            {say(`job.tab.${name}`)}
            {name === 'problems' && troubles.length > 0 ? <span className={`count ${worst}`}>{troubles.length}</span> : null}
          </a>
        ))}
        {planned ? <Legend tally={run.total} critical={tab === 'graph' || tab === 'timeline'} /> : null}
      </nav>
      {tab === 'graph' || tab === 'timeline' ? (
        <div className={`split ${selected === null ? '' : 'with-detail'}`}>
          {!planned ? (
            waiting
          ) : tab === 'graph' ? (
            <GraphView run={run} version={version} now={now} live={live} selected={selected} onSelect={setSelected} />
          ) : (
            <TimelineView run={run} version={version} now={now} selected={selected} onSelect={setSelected} />
          )}
          {selected === null ? null : (
            <aside className="detail" aria-label={say('detail.title')}>
              <button type="button" className="quiet dialog-close" aria-label={say('app.close')} onClick={() => setSelected(null)}>
                ×
              </button>
              <Detail
                run={run}
                now={now}
                selected={selected}
                onSelect={setSelected}
                onLog={({ task, host = '' }) => setFilter({ level: 'debug', text: '', task, host })}
              />
            </aside>
          )}
        </div>
      ) : null}
      {tab === 'log' ? (
        <LogView
          run={run}
          version={version}
          filter={filter}
          onFilter={setFilter}
          download={`/api/v1/jobs/${encodeURIComponent(id)}/logs?format=text&level=debug`}
        />
      ) : null}
      {tab === 'problems' ? <Problems run={run} ended={!live} onNode={showNode} /> : null}
    </section>
  )
}

function filterOf({ level, host = '', task = '', text = '' }: Readonly<Record<string, string>>): LogFilter {
  return { level: levels.find((name) => name === level) ?? 'info', host, task, text }
}
