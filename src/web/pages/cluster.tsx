import { useCallback, useState } from 'react'
import type { ClusterDetail } from '../api/types.ts'
import { mayChange, useApp } from '../app/context.ts'
import { addressOf, go, jobRoute } from '../app/route.ts'
import { useAsked, useNow } from '../app/use-asked.ts'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { JobTable } from '../parts/job-table.tsx'
import { ProblemBox } from '../parts/problem-box.tsx'
import { Certificates } from './certificates.tsx'
import { ClusterMark } from './clusters.tsx'
import { DeleteCluster } from './delete-cluster.tsx'

/** One cluster: its nodes, versions, certificates and history, and what can be done with it. */
export function ClusterPage({ name }: { readonly name: string }) {
  const { api, say, session } = useApp()
  const now = useNow(1000)
  const { value, problem, again } = useAsked(
    useCallback(() => api.cluster(name), [api, name]),
    3000,
  )
  const [asking, setAsking] = useState<'delete' | 'config' | null>(null)
  const [refused, setRefused] = useState<unknown>(null)
  const preflight = async (): Promise<void> => {
    try {
      go(jobRoute((await api.preflight(name, {}, crypto.randomUUID())).job_id))
    } catch (why) {
      setRefused(why)
    }
  }
  return (
    <section className="page">
      <header className="head">
        <h1>
          <a className="faint" href={addressOf({ page: 'clusters' })}>
            {say('nav.clusters')}
          </a>{' '}
          <span className="faint">/</span> {name}
        </h1>
        {value === null ? null : <ClusterMark state={value.state} />}
        <div className="actions">
          <button type="button" onClick={() => setAsking('config')}>
            {say('cluster.showConfig')}
          </button>
          {mayChange(session) ? (
            <>
              <button type="button" onClick={() => void preflight()}>
                {say('cluster.preflight')}
              </button>
              <button type="button" className="danger" onClick={() => setAsking('delete')}>
                {say('cluster.delete')}
              </button>
            </>
          ) : null}
        </div>
      </header>
      {problem === null ? null : <ProblemBox problem={problem} say={say} again={again} />}
      {refused === null ? null : <ProblemBox problem={refused} say={say} />}
      {value === null ? null : <ClusterBody cluster={value} now={now} />}
      {asking === 'config' ? <ConfigDialog name={name} onClose={() => setAsking(null)} /> : null}
      {asking === 'delete' && value !== null ? <DeleteCluster cluster={value} onClose={() => setAsking(null)} /> : null}
    </section>
  )
}

/** As many jobs as the server gives with a cluster; there may be more. */
const shownHistory = 20

function ClusterBody({ cluster, now }: { readonly cluster: ClusterDetail; readonly now: number }) {
  const { say } = useApp()
  return (
    <>
      <h2>{say('cluster.versions')}</h2>
      <dl className="facts">
        {cluster.versions.map(({ name, version }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{version}</dd>
          </div>
        ))}
      </dl>
      <h2>
        {say('cluster.nodes')} <span className="faint">{cluster.nodes.length}</span>
      </h2>
      <Nodes nodes={cluster.nodes} />
      <h2>{say('cluster.certificates')}</h2>
      {cluster.certificates.length === 0 ? (
        <p className="hint">{say('cluster.noCertificates')}</p>
      ) : (
        <Certificates certificates={cluster.certificates} now={now} />
      )}
      <h2>{say('cluster.history')}</h2>
      <JobTable jobs={cluster.history} now={now} withCluster={false} />
      {cluster.history.length < shownHistory ? null : (
        <p>
          <a href={addressOf({ page: 'jobs', cluster: cluster.name, status: '' })}>{say('app.more')}</a>
        </p>
      )}
    </>
  )
}

type Node = ClusterDetail['nodes'][number]

function Nodes({ nodes }: { readonly nodes: readonly Node[] }) {
  const { say } = useApp()
  const internal: Column<Node> = {
    title: say('cluster.col.internal'),
    named: true,
    cell: ({ internal_address }) => <code>{internal_address}</code>,
  }
  const columns: readonly Column<Node>[] = [
    { title: say('cluster.col.name'), cell: ({ name }) => name },
    {
      title: say('cluster.col.roles'),
      kind: 'grow',
      cell: ({ roles }) =>
        roles.map((role) => (
          <span key={role} className="tag">
            {role}
          </span>
        )),
    },
    { title: say('cluster.col.address'), cell: ({ address }) => <code>{address}</code> },
    // What is the same for all, or said of none, is not worth a column.
    ...(nodes.some(({ address, internal_address }) => address !== internal_address) ? [internal] : []),
    ...(nodes.some(({ arch }) => arch !== null) ? [{ title: say('cluster.col.arch'), cell: ({ arch }: Node) => arch }] : []),
  ]
  return <DataTable columns={columns} rows={nodes} keyOf={({ name }) => name} tall />
}

function ConfigDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { api, say } = useApp()
  const { value, problem } = useAsked(useCallback(() => api.clusterConfig(name), [api, name]))
  return (
    <Dialog title={say('cluster.config')} onClose={onClose} wide>
      {problem === null ? null : <ProblemBox problem={problem} say={say} />}
      <pre className="config">{value ?? say('app.loading')}</pre>
    </Dialog>
  )
}
