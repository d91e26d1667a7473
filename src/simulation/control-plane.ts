import type { EtcdMember } from './cluster-state.ts'
import { refuse } from './refusal.ts'
import type { ClusterAccess, HostState } from './state.ts'
import { entryAt } from './tree.ts'

/** The state of a host of the cluster as seen by one that is just being changed; null where it is off or cut off. */
export const stateOf = (cluster: ClusterAccess, seenBy: HostState, host: string): HostState | null =>
  host === seenBy.machine.name ? seenBy : cluster.peer(host)

/** Whether a unit runs on a host. */
export const isActive = (state: HostState, unit: string): boolean => state.units.get(`${unit}.service`)?.active === 'active'

/** Whether a component of the control plane runs on a host, as a unit or as a static pod of its kubelet. */
export const runsComponent = (state: HostState, component: string): boolean =>
  isActive(state, component) || (isActive(state, 'kubelet') && entryAt(state.root, `/etc/kubernetes/manifests/${component}.yaml`) !== null)

/** Whether a container runtime is up on a host. */
export const hasRuntime = (state: HostState): boolean =>
  ['containerd', 'docker', 'crio', 'isulad'].some((runtime) => isActive(state, runtime))

/** The members of etcd that answer. */
export function healthyMembers(cluster: ClusterAccess, seenBy: HostState): readonly EtcdMember[] {
  return cluster.state.members.filter(({ host }) => {
    const state = host === null ? null : stateOf(cluster, seenBy, host)
    return state !== null && runsComponent(state, 'etcd')
  })
}

/** Whether a majority of the members answers. An etcd that is not part of the fleet is taken to be well. */
export const hasQuorum = (cluster: ClusterAccess, seenBy: HostState): boolean =>
  cluster.state.members.length === 0 || healthyMembers(cluster, seenBy).length > cluster.state.members.length / 2

/** Whether some API server answers. */
export const apiAnswers = (cluster: ClusterAccess, seenBy: HostState): boolean =>
  [...cluster.state.controlPlanes].some((host) => {
    const state = stateOf(cluster, seenBy, host)
    return state !== null && runsComponent(state, 'kube-apiserver')
  })

/** Refuses as a client does that finds no API server, or one that cannot write. */
export function mustAnswer(cluster: ClusterAccess | null, seenBy: HostState, write: boolean): ClusterAccess {
  if (cluster === null || !apiAnswers(cluster, seenBy))
    throw refuse('The connection to the server was refused - did you specify the right host or port?')
  if (write && !hasQuorum(cluster, seenBy)) throw refuse('Error from server: etcdserver: request timed out')
  return cluster
}
