import type { Output } from '../../runner/index.ts'
import type { Json } from '../../util/json.ts'
import type { KubeObject } from '../cluster-state.ts'
import { isNodeReady } from '../control-plane.ts'
import { complains, says } from '../program.ts'
import type { ClusterAccess, HostState } from '../state.ts'

const shortNames: Readonly<Record<string, string>> = {
  no: 'Node',
  nodes: 'Node',
  ns: 'Namespace',
  namespaces: 'Namespace',
  cm: 'ConfigMap',
  ds: 'DaemonSet',
  deploy: 'Deployment',
  sts: 'StatefulSet',
  svc: 'Service',
  sa: 'ServiceAccount',
  crd: 'CustomResourceDefinition',
  po: 'Pod',
  sc: 'StorageClass',
  clusterrolebindings: 'ClusterRoleBinding',
}

const kinds =
  'Node Namespace ConfigMap Secret DaemonSet Deployment StatefulSet Service ServiceAccount CustomResourceDefinition Pod StorageClass ClusterRole ClusterRoleBinding Role RoleBinding Job Cluster PriorityClass'.split(
    ' ',
  )

/** The kind a word on the command line means: `nodes`, `deploy`, `daemonset.apps`. */
export function kindOf(word: string): string {
  const plain = word.toLowerCase().replace(/\..*$/, '')
  return shortNames[plain] ?? kinds.find((kind) => kind.toLowerCase() === plain || `${kind.toLowerCase()}s` === plain) ?? word
}

/** Whether an object has the labels of a selector: `a=b,c,!d,e!=f`. */
export const matches = (object: KubeObject, selector: string): boolean =>
  selector
    .split(',')
    .filter((part) => part !== '')
    .every((part) => {
      const { labels = {} } = object.metadata
      const [key = '', value] = part.split(/!=|==?/)
      if (part.startsWith('!')) return !(part.slice(1) in labels)
      if (part.includes('!=')) return labels[key] !== value
      return value === undefined ? key in labels : labels[key] === value
    })

const readyNodes = (cluster: ClusterAccess, seenBy: HostState): number =>
  [...cluster.state.objects.values()].filter(({ kind, metadata }) => kind === 'Node' && isNodeReady(cluster, seenBy, metadata.name)).length

/** Whether what an object stands for is up. Things that run nothing are ready when they exist. */
export function isReady(cluster: ClusterAccess, seenBy: HostState, object: KubeObject): boolean {
  if (object.kind === 'Node') return isNodeReady(cluster, seenBy, object.metadata.name)
  return ['DaemonSet', 'Deployment', 'StatefulSet', 'Pod', 'Job'].includes(object.kind) ? readyNodes(cluster, seenBy) > 0 : true
}

/** An object with the status it has now: nothing in a simulation happens between two questions. */
function withStatus(cluster: ClusterAccess, seenBy: HostState, object: KubeObject): KubeObject {
  const ready = isReady(cluster, seenBy, object)
  if (object.kind === 'Node') {
    const host = object.metadata.name === seenBy.machine.name ? seenBy : cluster.peer(object.metadata.name)
    const addresses: Json = host === null ? [] : [{ type: 'InternalIP', address: host.machine.address }]
    const nodeInfo: Json = { kubeletVersion: cluster.state.version ?? '', architecture: host?.machine.arch ?? '' }
    return {
      ...object,
      status: { conditions: [{ type: 'Ready', status: ready ? 'True' : host === null ? 'Unknown' : 'False' }], addresses, nodeInfo },
    }
  }
  const nodes = readyNodes(cluster, seenBy)
  if (object.kind === 'DaemonSet')
    return {
      ...object,
      status: { desiredNumberScheduled: nodes, numberReady: nodes, numberAvailable: nodes, updatedNumberScheduled: nodes },
    }
  if (object.kind !== 'Deployment' && object.kind !== 'StatefulSet') return object
  const replicas = Number(object.spec?.replicas ?? 1)
  const up = ready ? replicas : 0
  return { ...object, status: { replicas, readyReplicas: up, availableReplicas: up, updatedReplicas: up } }
}

/** Prints objects in the way asked for. */
export function show(
  cluster: ClusterAccess,
  seenBy: HostState,
  objects: readonly KubeObject[],
  output: string | null,
  list: boolean,
): Output {
  const now = objects.map((object) => withStatus(cluster, seenBy, object))
  if (output === 'json') return says(`${JSON.stringify(list ? { apiVersion: 'v1', kind: 'List', items: now } : now[0])}\n`)
  if (output === 'name') return says(now.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}\n`).join(''))
  if (output !== null && output !== 'wide') return complains(`error: the simulated kubectl does not know the output ${output}`)
  return says(now.map((object) => `${object.metadata.name} ${isReady(cluster, seenBy, object) ? 'Ready' : 'NotReady'}\n`).join(''))
}
