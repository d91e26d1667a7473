import { type ClusterStatus, clusterStatus, isHealthy } from '../app/index.ts'
import { loadCluster } from '../config/index.ts'
import { fail } from '../error/index.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { askPerson } from './person.ts'
import { renderCluster, renderNodes, renderStatus, statusJson } from './render-status.ts'

/** Prints the state of a cluster; gives the exit code: 13 where something is wrong with it. */
export async function showStatus(options: ClusterOptions): Promise<number> {
  const cancel = interrupted()
  const status = await lookAt(options, cancel)
  if (cancel.aborted) return 130
  const look = { color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined, columns: process.stdout.columns ?? 120 }
  print(options, statusJson(status), () => renderStatus(status, look))
  return isHealthy(status) ? 0 : 13
}

/** Prints the nodes of a cluster. */
export async function showNodes(options: ClusterOptions): Promise<void> {
  const status = await lookAt(options)
  const { nodes, apiServers } = status
  if (nodes.problem !== null) {
    const seen = apiServers.map(({ host, problem }) => `${host}: ${problem}`).join('\n')
    throw fail('KX_API_SILENT', { cluster: status.cluster, why: nodes.problem }, { seen })
  }
  print(options, nodes.items, () => renderNodes(status))
}

/** Prints a cluster in one line. */
export async function showCluster(options: ClusterOptions): Promise<void> {
  const status = await lookAt(options)
  print(options, statusJson(status), () => renderCluster(status))
}

async function lookAt({ file, directory, rehearse, limit }: ClusterOptions, cancel = interrupted()): Promise<ClusterStatus> {
  const cluster = await loadCluster(file)
  return clusterStatus({ cluster, directory, rehearse, only: limit, ask: askPerson, cancel })
}

function interrupted(): AbortSignal {
  const cancel = new AbortController()
  process.once('SIGINT', () => cancel.abort(new DOMException('cancelled by the user', 'AbortError')))
  return cancel.signal
}

function print({ output }: ClusterOptions, data: unknown, text: () => string): void {
  process.stdout.write(output === 'json' ? `${JSON.stringify(data, null, 2)}\n` : text())
}
