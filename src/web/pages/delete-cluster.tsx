import { type SubmitEvent, useState } from 'react'
import type { ClusterDetail } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { go, jobRoute } from '../app/route.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ProblemBox } from '../parts/problem-box.tsx'

/** Asks for the cluster's name before it is deleted: this is not undone by a second click. */
export function DeleteCluster({ cluster, onClose }: { readonly cluster: ClusterDetail; readonly onClose: () => void }) {
  const { api, say } = useApp()
  const [typed, setTyped] = useState('')
  const [purge, setPurge] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const [key] = useState(() => crypto.randomUUID())
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    try {
      go(jobRoute((await api.deleteCluster(cluster.name, { purge_data: purge }, key)).job_id))
    } catch (why) {
      setRefused(why)
    }
  }
  return (
    <Dialog title={say('cluster.delete.title', { name: cluster.name })} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p>{say('cluster.delete.text', { n: cluster.hosts })}</p>
        <label htmlFor="cluster-name">{say('cluster.delete.name')}</label>
        <input id="cluster-name" autoComplete="off" spellCheck={false} value={typed} onChange={(event) => setTyped(event.target.value)} />
        <label className="check">
          <input type="checkbox" checked={purge} onChange={(event) => setPurge(event.target.checked)} /> {say('cluster.delete.purge')}
        </label>
        {refused === null ? null : <ProblemBox problem={refused} say={say} />}
        <button type="submit" className="danger solid" disabled={typed !== cluster.name}>
          {say('cluster.delete.submit')}
        </button>
      </form>
    </Dialog>
  )
}
