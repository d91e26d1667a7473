import { type Cluster, type ClusterHost, hostsOf } from '../config/index.ts'
import { fail } from '../error/index.ts'
import type { HostName } from '../util/where.ts'
import type { Expected } from './inspect.ts'
import type { StoredName } from './store.ts'
import { type Authority, type KubeconfigId, kubeconfigIds, kubeconfigs, type LeafId, leafIds, leaves } from './table.ts'

/** A certificate somebody needs: what it must say and under which name it is kept. */
export interface Wanted {
  /** For people: `apiserver of node1`. */
  readonly what: string
  readonly host: HostName
  readonly id: LeafId | KubeconfigId
  readonly signedBy: Authority
  readonly expected: Expected
  readonly stored: { readonly cert: StoredName; readonly key: StoredName }
}

/** The authorities kubexm makes for a cluster: the user's own etcd has its own. */
export const wantedAuthorities = ({ spec }: Cluster): readonly Authority[] =>
  spec.etcd.type === 'external' ? ['kubernetes', 'front-proxy'] : ['kubernetes', 'front-proxy', 'etcd']

/** The host of the cluster with this name; null is the machine kubexm runs on. */
export function holderOf(cluster: Cluster, name: HostName): ClusterHost | null {
  if (name === 'local') return null
  const host = hostsOf(cluster).find((one) => one.name === name)
  if (host === undefined) throw fail('KX_BUG', { what: `a certificate is asked for ${name}, which is no host of the cluster` })
  return host
}

/** The certificate of a leaf for one host. */
export function wantedLeaf(cluster: Cluster, id: LeafId, host: ClusterHost): Wanted {
  const row = leaves[id]
  return wanted(cluster, id, row, host, row.names?.(cluster, host) ?? [])
}

/** The client certificate in a kubeconfig. */
export const wantedClient = (cluster: Cluster, id: KubeconfigId, host: ClusterHost | null): Wanted =>
  wanted(cluster, id, kubeconfigs[id], host, [])

/** Every certificate kubexm makes for a cluster and keeps. */
export function allWanted(cluster: Cluster): readonly Wanted[] {
  const ours = leafIds.filter((id) => leaves[id].signedBy !== 'etcd' || cluster.spec.etcd.type !== 'external')
  const kept = kubeconfigIds.filter((id) => kubeconfigs[id].passing === undefined)
  return [
    ...hostsOf(cluster).flatMap((host) => [
      ...ours.filter((id) => leaves[id].isFor(cluster, host)).map((id) => wantedLeaf(cluster, id, host)),
      ...kept.filter((id) => kubeconfigs[id].isFor(cluster, host)).map((id) => wantedClient(cluster, id, host)),
    ]),
    ...kept.filter((id) => kubeconfigs[id].alsoLocal === true).map((id) => wantedClient(cluster, id, null)),
  ]
}

function wanted(
  cluster: Cluster,
  id: LeafId | KubeconfigId,
  row: (typeof leaves)[LeafId] | (typeof kubeconfigs)[KubeconfigId],
  host: ClusterHost | null,
  names: readonly string[],
): Wanted {
  const { signedBy, organizations = [], usages } = row
  const directory = signedBy === 'etcd' ? 'etcd' : 'kubernetes'
  const base = host === null ? (`${directory}/${id}` as const) : (`${directory}/hosts/${host.name}/${id}` as const)
  return {
    what: host === null ? id : `${id} of ${host.name}`,
    host: host?.name ?? 'local',
    id,
    signedBy,
    expected: {
      commonName: commonNameOf(row.commonName, host, id),
      organizations: typeof organizations === 'function' ? organizations(cluster) : organizations,
      usages,
      names,
      algorithm: cluster.spec.certs.keyAlgorithm,
    },
    stored: { cert: `${base}.crt`, key: `${base}.key` },
  }
}

function commonNameOf(commonName: string | ((host: ClusterHost) => string), host: ClusterHost | null, id: string): string {
  if (typeof commonName === 'string') return commonName
  if (host === null) throw fail('KX_BUG', { what: `${id} is asked for this machine, and only hosts of the cluster have one` })
  return commonName(host)
}
