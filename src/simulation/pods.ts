import type { KubeObject } from './cluster-state.ts'
import { hasRuntime, isActive, stateOf } from './control-plane.ts'
import { listNames } from './files.ts'
import { imagesIn } from './images.ts'
import type { ClusterAccess, HostState } from './state.ts'
import { imagesOf, placesOf } from './workloads.ts'

const workloads = new Set(['DaemonSet', 'Deployment', 'StatefulSet'])

/** The pods of a cluster: those of its workloads, and the static ones of its kubelets as the API shows them. */
export function podObjects(cluster: ClusterAccess, seenBy: HostState): readonly KubeObject[] {
  const objects = [...cluster.state.objects.values()]
  const made = objects.filter(({ kind }) => workloads.has(kind)).flatMap((object) => podsOfWorkload(cluster, seenBy, object))
  const nodes = objects.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name)
  return [...made, ...nodes.flatMap((node) => staticPods(node, stateOf(cluster, seenBy, node)))]
}

function podsOfWorkload(cluster: ClusterAccess, seenBy: HostState, object: KubeObject): readonly KubeObject[] {
  const { name, namespace = 'default' } = object.metadata
  const labels = (object.spec?.template as { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } } | undefined)
    ?.metadata?.labels
  return placesOf(cluster, seenBy, object).map(({ node, up }, i) => {
    const host = node === null ? null : stateOf(cluster, seenBy, node)
    const reason =
      host !== null && imagesOf(object).some((image) => !imagesIn(host).includes(image)) ? 'ImagePullBackOff' : 'ContainerCreating'
    return pod(
      namespace,
      `${name}-${node ?? i}${node === null || object.kind === 'DaemonSet' ? '' : `-${i}`}`,
      node,
      up ? null : reason,
      labels,
    )
  })
}

/** A host that is gone shows as it was last seen: its static pods are not listed here, since nothing is known of them. */
function staticPods(node: string, host: HostState | null): readonly KubeObject[] {
  if (host === null) return []
  const runs = isActive(host, 'kubelet') && hasRuntime(host)
  return listNames(host, '/etc/kubernetes/manifests').map((file) =>
    pod('kube-system', `${file.replace(/\.yaml$/, '')}-${node}`, node, runs ? null : 'ContainerCreating'),
  )
}

function pod(
  namespace: string,
  name: string,
  node: string | null,
  waiting: string | null,
  labels: Readonly<Record<string, string>> = {},
): KubeObject {
  const state = waiting === null ? { running: {} } : { waiting: { reason: waiting } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: node === null ? {} : { nodeName: node },
    status: {
      phase: waiting === null ? 'Running' : 'Pending',
      containerStatuses: [{ name: 'main', ready: waiting === null, state }],
    },
  }
}
