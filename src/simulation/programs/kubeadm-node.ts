import { type ClusterState, emptyCluster, type KubeObject, objectKey, withObject } from '../cluster-state.ts'
import { Content } from '../content.ts'
import { hasQuorum, isActive, runsComponent, stateOf } from '../control-plane.ts'
import { memberId } from '../etcd-daemon.ts'
import { writeFile } from '../files.ts'
import { register, versionOf } from '../node-daemons.ts'
import type { ProgramContext } from '../program.ts'
import { refuse } from '../refusal.ts'
import type { ClusterAccess } from '../state.ts'
import { entryAt } from '../tree.ts'
import { activeState, startWithoutWaiting, stopUnit } from '../units.ts'
import { type Documents, valueAt } from './kubeadm-config.ts'
import { missingCertificate } from './kubeadm-files.ts'

/** One call of kubeadm on a host. */
export interface Run {
  readonly ctx: ProgramContext
  readonly cluster: ClusterAccess
  readonly config: Documents
  /** Of this kubeadm. */
  readonly version: string
  readonly role: 'Init' | 'Join'
  /** Where the etcd that kubeadm makes keeps its data; null where it makes none. */
  readonly etcdData: string | null
}

/** The name of the node this host is to be. */
export const nodeName = ({ ctx, config, role }: Run): string =>
  String(valueAt(config[`${role}Configuration`], 'nodeRegistration', 'name') ?? ctx.state.hostname)

const manifest = (name: string): string => `/etc/kubernetes/manifests/${name}.yaml`

/** Stops and starts the kubelet, which may die at once: kubeadm sees that only when it waits for it. */
export function restartKubelet({ ctx }: Run): void {
  const stopped = activeState(ctx.state, 'kubelet') === 'active' ? stopUnit(ctx.state, 'kubelet') : ctx.state
  ctx.state = startWithoutWaiting(stopped, 'kubelet')
}

/** The member of etcd that runs, or will run, on this host. */
export function memberOf({ ctx, etcdData }: Run): ClusterState['members'][number] {
  const { name, address } = ctx.state.machine
  const peerUrl = `https://${address}:2380`
  const dataDir = etcdData === null ? {} : { dataDir: etcdData }
  return {
    id: memberId(ctx.state.hostname, peerUrl),
    name: ctx.state.hostname,
    peerUrl,
    clientUrl: `https://${address}:2379`,
    host: name,
    ...dataDir,
  }
}

/** The members without this host's, and then it. */
export const withMember = (members: ClusterState['members'], member: ClusterState['members'][number]): ClusterState['members'] => [
  ...members.filter(({ peerUrl }) => peerUrl !== member.peerUrl),
  member,
]

/** What a kubelet that runs makes of the manifests it finds: etcd with its data, then an API server if it has what it needs. */
export function runStaticPods(run: Run): void {
  const { ctx, cluster } = run
  if (!isActive(ctx.state, 'kubelet')) return
  startEtcd(run)
  const ready =
    entryAt(ctx.state.root, manifest('kube-apiserver')) !== null && missingCertificate(ctx.state, run.etcdData !== null) === null
  if (!ready || !hasQuorum(cluster, ctx.state)) return
  const namespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'default'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }))
  const up: ClusterState = {
    ...cluster.state,
    version: cluster.state.version ?? String(valueAt(run.config.ClusterConfiguration, 'kubernetesVersion') ?? run.version),
    controlPlanes: new Set([...cluster.state.controlPlanes, ctx.state.machine.name]),
  }
  cluster.state = namespaces
    .filter(({ metadata }) => !up.objects.has(objectKey('Namespace', undefined, metadata.name)))
    .reduce<ClusterState>(withObject, up)
}

function startEtcd(run: Run): void {
  const { ctx, cluster, etcdData } = run
  if (etcdData === null || entryAt(ctx.state.root, manifest('etcd')) === null) return
  const member = memberOf(run)
  const fresh = entryAt(ctx.state.root, `${etcdData}/member`) === null
  const others = cluster.state.members.some(({ host, dataDir }) => {
    const state = host === null || host === member.host ? null : stateOf(cluster, ctx.state, host)
    return state !== null && entryAt(state.root, `${dataDir ?? etcdData}/member`) !== null
  })
  if (fresh) ctx.state = writeFile(ctx.state, `${etcdData}/member/snap/db`, new Content('simulated etcd data\n'), { mode: '0600' })
  // Where no member has its data any more, what was in the store is gone too.
  if (fresh && !others) cluster.state = { ...emptyCluster, next: cluster.state.next, members: [member] }
  else if (others || !fresh) cluster.state = { ...cluster.state, members: withMember(cluster.state.members, member) }
}

/** The kubelet has found the API: it registers its node. */
export function registerNode(run: Run): void {
  const { state } = run.ctx
  const program = state.units.get('kubelet.service')?.process?.argv[0]
  if (program !== undefined) register(state, nodeName(run), versionOf(state, program), [])
}

/** Refuses as kubeadm does that waited in vain for the API server of this host. */
export function mustRunApiServer(run: Run): void {
  const { ctx, cluster } = run
  if (!isActive(ctx.state, 'kubelet'))
    throw refuse('error execution phase wait-control-plane: failed while waiting for the kubelet to start: connection refused')
  if (!cluster.state.controlPlanes.has(ctx.state.machine.name) || !runsComponent(ctx.state, 'kube-apiserver'))
    throw refuse(
      'error execution phase wait-control-plane: failed while waiting for the control plane to start: kube-apiserver check failed: connection refused',
    )
}

/** Puts labels and taints on the node of this host. */
export function markNode(run: Run, labels: Readonly<Record<string, string>>, taints: KubeObject['spec'] | null): void {
  const key = objectKey('Node', undefined, nodeName(run))
  const node = run.cluster.state.objects.get(key)
  if (node === undefined) throw refuse(`nodes "${nodeName(run)}" not found`)
  run.cluster.state = withObject(run.cluster.state, {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } },
    spec: { ...node.spec, ...taints },
  })
}
