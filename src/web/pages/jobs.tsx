import { useCallback, useState } from 'react'
import type { Job, JobStatus } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { go } from '../app/route.ts'
import { useAsked, useNow } from '../app/use-asked.ts'
import { JobTable } from '../parts/job-table.tsx'
import { ProblemBox } from '../parts/problem-box.tsx'

const statuses = ['Pending', 'Processing', 'Success', 'Failed', 'Cancelled'] as const satisfies readonly JobStatus[]

/** All jobs, newest first, with a filter that is part of the address. */
export function JobsPage({ cluster, status }: { readonly cluster: string; readonly status: string }) {
  const { api, say } = useApp()
  const now = useNow(1000)
  const ask = useCallback(() => api.jobs({ cluster, status }), [api, cluster, status])
  const { value, problem, again } = useAsked(ask, 2000)
  return (
    <section className="page">
      <header className="head">
        <h1>{say('jobs.title')}</h1>
        <div className="actions">
          <label className="choice">
            {say('jobs.filter.status')}
            <select value={status} onChange={(event) => go({ page: 'jobs', cluster, status: event.target.value })}>
              <option value="">{say('jobs.filter.all')}</option>
              {statuses.map((name) => (
                <option key={name} value={name}>
                  {say(`status.${name}`)}
                </option>
              ))}
            </select>
          </label>
          <label className="choice">
            {say('jobs.filter.cluster')}
            <input
              type="search"
              value={cluster}
              size={14}
              onChange={(event) => go({ page: 'jobs', cluster: event.target.value, status }, true)}
            />
          </label>
        </div>
      </header>
      {problem === null ? null : <ProblemBox problem={problem} say={say} again={again} />}
      {value === null ? null : value.items.length === 0 ? (
        <p className="empty">{say(cluster === '' && status === '' ? 'jobs.empty' : 'jobs.emptyFiltered')}</p>
      ) : (
        <Pages key={`${cluster} ${status}`} first={value.items} next={value.next} cluster={cluster} status={status} now={now} />
      )}
    </section>
  )
}

interface PagesProps {
  readonly first: readonly Job[]
  readonly next: string | null
  readonly cluster: string
  readonly status: string
  readonly now: number
}

/** The newest jobs stay fresh; older pages are asked for one by one and kept. */
function Pages({ first, next, cluster, status, now }: PagesProps) {
  const { api, say } = useApp()
  const [older, setOlder] = useState<{ readonly items: readonly Job[]; readonly next: string | null } | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const after = older === null ? next : older.next
  const more = async (): Promise<void> => {
    if (after === null) return
    try {
      const page = await api.jobs({ cluster, status, after })
      setOlder((before) => ({ items: [...(before?.items ?? []), ...page.items], next: page.next }))
    } catch (refused) {
      setProblem(refused)
    }
  }
  const fresh = new Set(first.map((job) => job.id))
  return (
    <>
      <JobTable jobs={[...first, ...(older?.items ?? []).filter((job) => !fresh.has(job.id))]} now={now} />
      {problem === null ? null : <ProblemBox problem={problem} say={say} />}
      {after === null ? null : (
        <button type="button" onClick={() => void more()}>
          {say('app.more')}
        </button>
      )}
    </>
  )
}
