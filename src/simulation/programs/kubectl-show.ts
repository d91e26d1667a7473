import type { Output } from '../../runner/index.ts'
import type { Json } from '../../util/json.ts'
import type { KubeObject } from '../cluster-state.ts'
import { complains, says } from '../program.ts'
import type { ClusterAccess, HostState } from '../state.ts'
import { isNodeReady, podsOf } from '../workloads.ts'
import { jsonpath } from './kubectl-jsonpath.ts'

const shortNames: Readonly<Record<string, string>> = {
  no: 'Node',
  nodes: 'Node',
  ns: 'Namespace',
  namespaces: 'Namespace',
  cm: 'ConfigMap',
  csr: 'CertificateSigningRequest',
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

/** Whether an object has the labels of a selector: `a=b,c,!d,e!=f,g in (h,i)`. */
export const matches = (object: KubeObject, selector: string): boolean =>
  selector
    .split(/,(?![^(]*\))/)
    .filter((part) => part !== '')
    .every((part) => {
      const { labels = {} } = object.metadata
      const [, among, values] = /^(\S+) in \((.*)\)$/.exec(part) ?? []
      if (among !== undefined && values !== undefined) return values.split(',').includes(labels[among] ?? '')
      const [key = '', value] = part.split(/!=|==?/)
      if (part.startsWith('!')) return !(part.slice(1) in labels)
      if (part.includes('!=')) return labels[key] !== value
      return value === undefined ? key in labels : labels[key] === value
    })

/** Whether what an object stands for is up. Things that run nothing are ready when they exist. */
export function isReady(cluster: ClusterAccess, seenBy: HostState, object: KubeObject): boolean {
  if (object.kind === 'Node') return isNodeReady(cluster, seenBy, object.metadata.name)
  if (!['DaemonSet', 'Deployment', 'StatefulSet', 'Pod', 'Job'].includes(object.kind)) return true
  const { wanted, up } = podsOf(cluster, seenBy, object)
  return up >= wanted && wanted > 0
}

/** An object with the status it has now: nothing in a simulation happens between two questions. */
function withStatus(cluster: ClusterAccess, seenBy: HostState, object: KubeObject): KubeObject {
  if (object.kind === 'Node') return nodeWithStatus(cluster, seenBy, object)
  if (!['DaemonSet', 'Deployment', 'StatefulSet'].includes(object.kind)) return object
  const { wanted, up } = podsOf(cluster, seenBy, object)
  const generation = { ...object, metadata: { ...object.metadata, generation: 1 } }
  if (object.kind === 'DaemonSet')
    return {
      ...generation,
      status: {
        observedGeneration: 1,
        desiredNumberScheduled: wanted,
        currentNumberScheduled: wanted,
        numberReady: up,
        ...counted({ numberAvailable: up, updatedNumberScheduled: wanted }),
      },
    }
  const counts = counted({ replicas: wanted, updatedReplicas: wanted, readyReplicas: up, availableReplicas: up })
  return { ...generation, status: { observedGeneration: 1, ...counts } }
}

/** The API leaves out numbers that are zero. */
const counted = (numbers: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(numbers).filter(([, number]) => number > 0))

/** What a kubelet says for lack of a network plugin. */
const networkMissing =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized'

function nodeWithStatus(cluster: ClusterAccess, seenBy: HostState, object: KubeObject): KubeObject {
  const ready = isReady(cluster, seenBy, object)
  const host = object.metadata.name === seenBy.machine.name ? seenBy : cluster.peer(object.metadata.name)
  const addresses: Json = host === null ? [] : [{ type: 'InternalIP', address: host.machine.address }]
  const own = (object.status?.nodeInfo as { readonly kubeletVersion?: string } | undefined)?.kubeletVersion
  const nodeInfo: Json = {
    kubeletVersion: own ?? cluster.state.version ?? '',
    architecture: host?.machine.arch ?? '',
    containerRuntimeVersion: 'containerd://2.0.4',
  }
  const message = ready ? 'kubelet is posting ready status' : host === null ? 'Kubelet stopped posting node status.' : networkMissing
  const condition = { type: 'Ready', status: ready ? 'True' : host === null ? 'Unknown' : 'False', message }
  return { ...object, status: { conditions: [condition], addresses, nodeInfo } }
}

/** A line of the table of nodes: `NAME STATUS ROLES AGE VERSION`. */
function nodeLine({ metadata, spec, status }: KubeObject, ready: boolean): string {
  const prefix = 'node-role.kubernetes.io/'
  const roles = Object.keys(metadata.labels ?? {})
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .sort()
  const { kubeletVersion } = (status?.nodeInfo ?? {}) as { readonly kubeletVersion?: string }
  const state = `${ready ? 'Ready' : 'NotReady'}${spec?.unschedulable === true ? ',SchedulingDisabled' : ''}`
  return [metadata.name, state, roles.join(',') || '<none>', '1m', kubeletVersion].join('   ')
}

/** A line of the table of pods: `NAME READY STATUS RESTARTS AGE`. */
function podLine({ metadata, status }: KubeObject): string {
  const statuses = (status?.containerStatuses ?? []) as readonly { readonly ready: boolean; readonly state?: WaitingState }[]
  const up = statuses.filter(({ ready }) => ready).length
  const waiting = statuses.find(({ ready }) => !ready)?.state?.waiting?.reason
  return [metadata.name, `${up}/${statuses.length}`, waiting ?? String(status?.phase ?? 'Running'), '0', '1m'].join('   ')
}

type WaitingState = { readonly waiting?: { readonly reason: string } }

/** Prints objects in the way asked for. */
export function show(
  cluster: ClusterAccess,
  seenBy: HostState,
  objects: readonly KubeObject[],
  output: string | null,
  list: boolean,
  namespaces = false,
): Output {
  const now = objects.map((object) => withStatus(cluster, seenBy, object))
  if (output === 'json') return says(`${JSON.stringify(list ? { apiVersion: 'v1', kind: 'List', items: now } : now[0])}\n`)
  if (output === 'name') return says(now.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}\n`).join(''))
  if (output?.startsWith('jsonpath=') === true)
    return says(jsonpath(output.slice('jsonpath='.length), (list ? { items: now } : now[0]) as unknown as Json))
  if (output !== null && output !== 'wide') return complains(`error: the simulated kubectl does not know the output ${output}`)
  const line = (object: KubeObject): string => {
    const ready = isReady(cluster, seenBy, object)
    const place = namespaces ? `${object.metadata.namespace ?? 'default'}   ` : ''
    if (object.kind === 'Node') return nodeLine(object, ready)
    return place + (object.kind === 'Pod' ? podLine(object) : `${object.metadata.name} ${ready ? 'Ready' : 'NotReady'}`)
  }
  return says(now.map((object) => `${line(object)}\n`).join(''))
}
