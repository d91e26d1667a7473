import type { KubeObject } from './cluster-state.ts'
import { hasRuntime, isActive, stateOf } from './control-plane.ts'
import { imagesIn } from './images.ts'
import type { ClusterAccess, HostState } from './state.ts'

type Toleration = {
  readonly key?: string
  readonly operator?: 'Exists' | 'Equal'
  readonly value?: string
  readonly effect?: string
}

type Taint = {
  readonly key: string
  readonly value?: string
  readonly effect: string
}

type PodSpec = {
  readonly hostNetwork?: boolean
  readonly tolerations?: readonly Toleration[]
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly initContainers?: readonly { readonly image: string }[]
  readonly containers?: readonly { readonly image: string }[]
}

/** The pods an object makes; nothing is known of them where a test does not say. */
const podOf = (object: KubeObject): PodSpec => {
  const spec = object.spec ?? {}
  const template = spec.template as { readonly spec?: PodSpec } | undefined
  return template?.spec ?? (object.kind === 'Pod' ? (spec as PodSpec) : {})
}

const networks = /calico|flannel|cilium|kube-ovn|ovn-cni|weave|antrea|canal|hybridnet|multus/

const nodesOf = (cluster: ClusterAccess): readonly KubeObject[] => [...cluster.state.objects.values()].filter(({ kind }) => kind === 'Node')

const plugins = new WeakMap<ReadonlyMap<string, KubeObject>, readonly PodSpec[]>()

/** The pods of network plugins; looked up once for each state of the cluster, however many nodes it has. */
function networkPods({ state: { objects } }: ClusterAccess): readonly PodSpec[] {
  const known =
    plugins.get(objects) ??
    [...objects.values()].filter(({ kind, metadata }) => kind === 'DaemonSet' && networks.test(metadata.name)).map(podOf)
  plugins.set(objects, known)
  return known
}

/** Whether a node is ready: its host is up, kubelet and runtime run, and a network plugin runs on it. */
export const isNodeReady = (cluster: ClusterAccess, seenBy: HostState, node: string): boolean =>
  networkPods(cluster).some((pod) => starts(cluster, seenBy, { ...pod, hostNetwork: true }, node))

/** Whether a pod comes up on a node once it is there: its images are on the host, or can be got, and so is a network if it needs one. */
function starts(cluster: ClusterAccess, seenBy: HostState, pod: PodSpec, node: string): boolean {
  const host = stateOf(cluster, seenBy, node)
  if (host === null || !isActive(host, 'kubelet') || !hasRuntime(host)) return false
  const images = [...(pod.initContainers ?? []), ...(pod.containers ?? [])].map(({ image }) => image)
  if (!host.internet && images.some((image) => !imagesIn(host).includes(image))) return false
  return pod.hostNetwork === true || isNodeReady(cluster, seenBy, node)
}

const tolerates = ({ tolerations = [] }: PodSpec, taint: Taint): boolean =>
  tolerations.some(
    ({ key, operator = 'Equal', value, effect }) =>
      (effect === undefined || effect === taint.effect) &&
      (key === undefined || key === taint.key) &&
      (operator === 'Exists' || (value ?? '') === (taint.value ?? '')),
  )

/** Whether a pod may be put on a node at all. */
function fits(pod: PodSpec, { metadata, spec }: KubeObject): boolean {
  const taints = (spec?.taints ?? []) as readonly Taint[]
  const wanted = Object.entries(pod.nodeSelector ?? {}).filter(([key]) => key !== 'kubernetes.io/os')
  return (
    wanted.every(([key, value]) => metadata.labels?.[key] === value) &&
    taints.every((taint) => taint.effect === 'PreferNoSchedule' || tolerates(pod, taint))
  )
}

/** Where the pods of an object are, and whether each of them is up; null is nowhere yet. */
export function placesOf(
  cluster: ClusterAccess,
  seenBy: HostState,
  object: KubeObject,
): readonly { readonly node: string | null; readonly up: boolean }[] {
  const pod = podOf(object)
  const nodes = nodesOf(cluster).filter((node) => fits(pod, node))
  const up = (node: KubeObject): boolean => starts(cluster, seenBy, pod, node.metadata.name)
  if (object.kind === 'DaemonSet') return nodes.map((node) => ({ node: node.metadata.name, up: up(node) }))
  const { wanted, up: running } = podsOf(cluster, seenBy, object)
  const node = nodes.find(up)?.metadata.name ?? null
  return Array.from({ length: wanted }, () => ({ node, up: running > 0 }))
}

/** The images an object's pods are made of. */
export const imagesOf = (object: KubeObject): readonly string[] => (podOf(object).containers ?? []).map(({ image }) => image)

/** How many pods an object wants, and how many of them are up. */
export function podsOf(cluster: ClusterAccess, seenBy: HostState, object: KubeObject): { readonly wanted: number; readonly up: number } {
  const pod = podOf(object)
  const nodes = nodesOf(cluster).filter((node) => fits(pod, node))
  const running = nodes.filter(({ metadata }) => starts(cluster, seenBy, pod, metadata.name))
  // Only pods of a DaemonSet are put on nodes that are not ready or cordoned.
  if (object.kind === 'DaemonSet') return { wanted: nodes.length, up: running.length }
  const wanted = Number(object.spec?.replicas ?? 1)
  const takes = ({ metadata, spec }: KubeObject): boolean => spec?.unschedulable !== true && isNodeReady(cluster, seenBy, metadata.name)
  return { wanted, up: running.some(takes) ? wanted : 0 }
}
