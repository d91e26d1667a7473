import { useCallback } from 'react'
import type { Cluster } from '../api/types.ts'
import { mayChange, useApp } from '../app/context.ts'
import { addressOf, jobRoute } from '../app/route.ts'
import { useAsked, useNow } from '../app/use-asked.ts'
import { agoText } from '../i18n/time.ts'
import { pipelineText } from '../parts/job-table.tsx'
import { ProblemBox } from '../parts/problem-box.tsx'
import { JobMark } from '../parts/status.tsx'

/** All clusters there were ever jobs for. */
export function ClustersPage() {
  const { api, say, session } = useApp()
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
      {value !== null && value.length === 0 ? (
        <p className="empty">
          {say('clusters.empty')} {mayChange(session) ? <a href={addressOf({ page: 'new' })}>{say('clusters.first')}</a> : null}
        </p>
      ) : null}
      {value === null || value.length === 0 ? null : <ClusterTable clusters={value} now={now} />}
    </section>
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
  return (
    <div className="table-frame">
      <table className="stack">
        <thead>
          <tr>
            <th>{say('clusters.col.name')}</th>
            <th>{say('clusters.col.state')}</th>
            <th>{say('clusters.col.version')}</th>
            <th className="number">{say('clusters.col.hosts')}</th>
            <th className="grow">{say('clusters.col.lastJob')}</th>
          </tr>
        </thead>
        <tbody>
          {clusters.map((cluster) => (
            <tr key={cluster.name}>
              <td>
                <a href={addressOf({ page: 'cluster', name: cluster.name })}>{cluster.name}</a>
              </td>
              <td>
                <ClusterMark state={cluster.state} />
              </td>
              <td>{cluster.kubernetes_version ?? ''}</td>
              <td className="number">{cluster.hosts}</td>
              <td className="grow">
                <JobMark job={cluster.last_job} />{' '}
                <a href={addressOf(jobRoute(cluster.last_job.id))}>{pipelineText(cluster.last_job.pipeline, say)}</a>{' '}
                <span className="faint">{agoText(Date.parse(cluster.last_job.created_at), now, language)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Whether a cluster is there. */
export function ClusterMark({ state }: { readonly state: Cluster['state'] }) {
  const { say } = useApp()
  return <span className={`cluster-state is-${state}`}>{say(`clusterState.${state}`)}</span>
}
