import type { Cluster } from './cluster.ts'
import { placeOfField } from './field-place.ts'
import { apiServerPort } from './topology.ts'

/** A field that a cluster keeps once it is there: creating it again with another value would break it. */
interface KeptField {
  readonly path: readonly string[]
  /** What a cluster of this config has; null where the field means nothing to it. */
  readonly of: (cluster: Cluster) => string | null
  /** Whether a cluster that has the one may get the other by being created again; by default it may not. */
  readonly mayBecome?: (has: string, wanted: string) => boolean
  /** What to write to keep what is there; by default the value itself. */
  readonly keep?: (has: string) => string
  /** What to do for another value; by default the cluster has to be made anew. */
  readonly instead?: (wanted: string) => string
}

const runsEtcd = ({ spec }: Cluster): boolean => spec.etcd.type !== 'external'
const byKubeadm = ({ spec }: Cluster): boolean => spec.kubernetes.type === 'kubeadm'

/** Which resources are encrypted and how: `secretbox: secrets, configmaps`. */
function encryptionOf({ spec }: Cluster): string {
  const { enabled, provider, resources } = spec.kubernetes.apiServer.encryption
  return enabled ? `${provider}: ${[...resources].sort().join(', ')}` : 'off'
}

/** What was written encrypted must stay readable: encryption can be begun, and extended to more resources. */
function staysReadable(has: string, wanted: string): boolean {
  if (has === 'off') return true
  const [[provider, before = ''], [next, after = '']] = [has.split(': '), wanted.split(': ')]
  return provider === next && before.split(', ').every((resource) => after.split(', ').includes(resource))
}

const kubernetes = ['spec', 'kubernetes'] as const
const etcd = ['spec', 'etcd'] as const
const network = ['spec', 'network'] as const

const table: readonly KeptField[] = [
  {
    path: [...kubernetes, 'version'],
    of: ({ spec }) => spec.kubernetes.version,
    instead: (wanted) => `run "kubexm upgrade cluster --to ${wanted}", which goes one node after another`,
  },
  { path: [...kubernetes, 'type'], of: ({ spec }) => spec.kubernetes.type },
  { path: [...kubernetes, 'clusterName'], of: ({ spec }) => spec.kubernetes.clusterName },
  { path: [...kubernetes, 'dnsDomain'], of: ({ spec }) => spec.kubernetes.dnsDomain },
  { path: [...kubernetes, 'containerRuntime', 'type'], of: ({ spec }) => spec.kubernetes.containerRuntime.type },
  { path: [...kubernetes, 'apiServer', 'etcdPrefix'], of: ({ spec }) => spec.kubernetes.apiServer.etcdPrefix },
  {
    path: [...kubernetes, 'apiServer', 'encryption'],
    of: encryptionOf,
    mayBecome: staysReadable,
    keep: (has) => `keep the encryption (${has})`,
  },
  // kubeadm writes the port into kubeconfigs that it does not touch again.
  {
    path: ['spec', 'controlPlaneEndpoint', 'port'],
    of: (cluster) => (byKubeadm(cluster) ? String(apiServerPort(cluster.spec)) : null),
  },
  { path: [...etcd, 'type'], of: ({ spec }) => spec.etcd.type },
  { path: [...etcd, 'dataDir'], of: (cluster) => (runsEtcd(cluster) ? cluster.spec.etcd.dataDir : null) },
  { path: [...etcd, 'clientPort'], of: (cluster) => (runsEtcd(cluster) ? String(cluster.spec.etcd.clientPort) : null) },
  { path: [...etcd, 'peerPort'], of: (cluster) => (runsEtcd(cluster) ? String(cluster.spec.etcd.peerPort) : null) },
  // A member that is not told to the others is none; kubeadm tells them when a master joins.
  {
    path: ['spec', 'roleGroups', 'etcd'],
    of: ({ spec }) => (spec.etcd.type === 'kubexm' ? [...spec.roleGroups.etcd].sort().join(', ') : null),
    keep: (has) => `write etcd: [${has}]`,
    instead: () => 'add and remove members with "kubexm add node" and "kubexm delete node"',
  },
  { path: [...network, 'kubePodsCIDR'], of: ({ spec }) => spec.network.kubePodsCIDR.join(',') },
  { path: [...network, 'kubeServiceCIDR'], of: ({ spec }) => spec.network.kubeServiceCIDR.join(',') },
  { path: [...network, 'plugin'], of: ({ spec }) => spec.network.plugin },
]

/** What a host says of the cluster it is part of. */
export interface Membership {
  readonly cluster: string
  /** The sha256 of the certificate all others of the cluster rest on. */
  readonly authority: string
  /** The fields it keeps, by their paths. */
  readonly has: Readonly<Record<string, string>>
}

/** What every host of a cluster is told of it, once it is there. */
export function membershipOf(cluster: Cluster, authority: string): Membership {
  const has = table.flatMap(({ path, of }) => {
    const value = of(cluster)
    return value === null ? [] : [[path.join('.'), value] as const]
  })
  return { cluster: cluster.metadata.name, authority, has: Object.fromEntries(has) }
}

/** A field that is not as the cluster has it. */
export interface Moved {
  readonly field: string
  /** Where it stands: `cluster.yaml:12:5`. */
  readonly place: string
  readonly wanted: string
  readonly seen: string
  /** What to do. */
  readonly how: string
}

/** The fields of a config that a cluster has otherwise and keeps. What the host does not know of is nothing it could keep. */
export function movedFields(cluster: Cluster, { has }: Membership): readonly Moved[] {
  return table.flatMap(({ path, of, mayBecome = () => false, keep, instead = makeAnew }) => {
    const field = path.join('.')
    const [seen, wanted] = [has[field], of(cluster)]
    if (seen === undefined || wanted === null || seen === wanted || mayBecome(seen, wanted)) return []
    const how = `${keep?.(seen) ?? `write ${path.at(-1)}: ${seen}`}, or ${instead(wanted)}`
    return [{ field, place: placeOfField(cluster, path), wanted, seen, how }]
  })
}

const makeAnew = (): string => 'delete the cluster and create it anew'
