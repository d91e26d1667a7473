import { useCallback } from 'react'
import type { Cluster } from '../api/types.ts'
import { mayChange, useApp } from '../app/context.ts'
import { addressOf } from '../app/route.ts'
import { useAsked, useNow } from '../app/use-asked.ts'
import { agoText } from '../i18n/time.ts'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { JobLink } from '../parts/job-table.tsx'
import { Logo } from '../parts/logo.tsx'
import { ProblemBox } from '../parts/problem-box.tsx'
import { JobMark } from '../parts/status.tsx'

/** All clusters there were ever jobs for. */
export function ClustersPage() {
  const { api, say } = useApp()
  const now = useNow(1000)
  const { value, problem, again } = useAsked(
    useCallback(() => everyCluster(api.clusters), [api]),
    3000,
  )
  return (
    <section className="page">
      <header className="head">
        <h1>{say('clusters.title')}</h1>
      </header>
      {problem === null ? null : <ProblemBox problem={problem} say={say} again={again} />}
      {value !== null && value.length === 0 ? <Welcome /> : null}
      {value === null || value.length === 0 ? null : <ClusterTable clusters={value} now={now} />}
    </section>
  )
}

/** What a newcomer sees: what this is for, and where to begin. */
function Welcome() {
  const { say, session } = useApp()
  return (
    <div className="welcome">
      <Logo size={36} />
      <h2>{say('clusters.empty')}</h2>
      <p>{say('clusters.welcome')}</p>
      {mayChange(session) ? (
        <a className="button primary" href={addressOf({ page: 'new' })}>
          {say('clusters.first')}
        </a>
      ) : null}
    </div>
  )
}

/** Clusters are few: all pages at once. */
async function everyCluster(ask: (after?: string) => Promise<{ readonly items: readonly Cluster[]; readonly next: string | null }>) {
  const all: Cluster[] = []
  let after: string | undefined
  do {
    const page = await ask(after)
    all.push(...page.items)
    after = page.next ?? undefined
  } while (after !== undefined)
  return all
}

function ClusterTable({ clusters, now }: { readonly clusters: readonly Cluster[]; readonly now: number }) {
  const { say, language } = useApp()
  const columns: readonly Column<Cluster>[] = [
    { title: say('clusters.col.name'), cell: ({ name }) => <a href={addressOf({ page: 'cluster', name })}>{name}</a> },
    { title: say('clusters.col.state'), cell: ({ state }) => <ClusterMark state={state} /> },
    { title: say('clusters.col.version'), named: true, cell: ({ kubernetes_version }) => kubernetes_version },
    { title: say('clusters.col.hosts'), kind: 'number', named: true, cell: ({ hosts }) => hosts },
    {
      title: say('clusters.col.lastJob'),
      kind: 'grow',
      cell: ({ last_job }) => (
        <>
          <JobMark job={last_job} /> <JobLink job={last_job} short={false} />{' '}
          <span className="faint">{agoText(Date.parse(last_job.created_at), now, language)}</span>
        </>
      ),
    },
  ]
  return <DataTable columns={columns} rows={clusters} keyOf={({ name }) => name} />
}

/** Whether a cluster is there. */
export function ClusterMark({ state }: { readonly state: Cluster['state'] }) {
  const { say } = useApp()
  return (
    <span className={`cluster-state is-${state}`} title={state === 'unknown' ? say('clusters.unknown') : undefined}>
      {say(`clusterState.${state}`)}
    </span>
  )
}
