import { apiServerUrl, type ClusterHost, mastersOf } from '../../config/index.ts'
import type { Output, Reader } from '../../runner/index.ts'
import { kubectl } from '../../step/generic/kubernetes.ts'
import { askerFor, orElse, type Surroundings, unreachable, whyNot } from './surroundings.ts'
import type { ApiServerStatus } from './types.ts'

/** A way to ask the API: a host with the administrator's kubeconfig, and the API server it is to ask. */
export interface ApiDoor {
  ask(...words: readonly string[]): Promise<Output>
  /** For answers that grow with the cluster: they come whole, whatever their size. */
  list(...words: readonly string[]): Promise<Output>
}

interface Asked extends ApiServerStatus {
  readonly door: ApiDoor | null
}

/** Asks every API server for itself, not the one a load balancer chooses; gives the first that is ready as a door to the cluster. */
export async function lookAtApiServers(
  around: Surroundings,
): Promise<{ readonly apiServers: readonly ApiServerStatus[]; readonly door: ApiDoor | null }> {
  const masters = mastersOf(around.cluster)
  const names = masters.map(({ name }) => name)
  const asked = await Promise.all(masters.map((master) => askApiServer(around, master, askerFor(around, master.name, names))))
  return {
    apiServers: asked.map(({ door: _, ...status }) => status),
    door: asked.find(({ problem }) => problem === null)?.door ?? asked.find(({ version }) => version !== null)?.door ?? null,
  }
}

async function askApiServer({ cluster }: Surroundings, master: ClusterHost, on: Reader | null): Promise<Asked> {
  const url = apiServerUrl(cluster, master)
  const status = { host: master.name, url, version: null }
  if (on === null) return { ...status, problem: unreachable, door: null }
  const command = (words: readonly string[]) => kubectl(...words, `--server=${url}`, '--request-timeout=10s')
  const ask: ApiDoor['ask'] = (...words) => on.run(command(words), { ok: 'any' })
  const list: ApiDoor['list'] = async (...words) => {
    const answer = await ask(...words)
    if (answer.truncated !== true) return answer
    const [{ code, stdout }] = await on.inspect([{ kind: 'command', command: command(words) }])
    return { code, stdout, stderr: '' }
  }
  return orElse(
    async () => {
      const [ready, version] = await Promise.all([ask('get', '--raw=/readyz?verbose'), ask('get', '--raw=/version')])
      return { ...status, version: versionIn(version), problem: ready.code === 0 ? null : notReady(ready), door: { ask, list } }
    },
    (problem): Asked => ({ ...status, problem, door: null }),
  )
}

function versionIn({ code, stdout }: Output): string | null {
  if (code !== 0) return null
  try {
    return (JSON.parse(stdout) as { readonly gitVersion?: string }).gitVersion ?? null
  } catch {
    // Something else than an API server answers there: what it is not ready for says more.
    return null
  }
}

/** An API server that is up says of each of its checks how it stands: those that failed are named. */
function notReady(answer: Output): string {
  const failed = [...`${answer.stdout}\n${answer.stderr}`.matchAll(/\[-\](\S+) failed/g)].map(([, check = '']) => check)
  return failed.length === 0 ? whyNot(answer) : `not ready: ${[...new Set(failed)].join(', ')}`
}
