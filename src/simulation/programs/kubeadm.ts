import type { Output } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import { type ClusterState, withObject } from '../cluster-state.ts'
import { apiAnswers, hasRuntime, mustAnswer, runsComponent } from '../control-plane.ts'
import { tcp } from '../daemon.ts'
import { memberId } from '../etcd-daemon.ts'
import { sysctlOf } from '../kernel.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { refuse } from '../refusal.ts'
import type { ClusterAccess, HostState } from '../state.ts'
import { entryAt } from '../tree.ts'
import { findUnitFile } from '../unit-lookup.ts'
import { findProgram, portTaken } from '../unit-process.ts'
import { activeState, startUnit, stopUnit } from '../units.ts'
import { hasSharedPki, readConfig, renewPki, valueAt, wipe, writeControlPlane, writeKubelet, writePki } from './kubeadm-files.ts'
import { hours, tokens, uploadCertificates } from './kubeadm-token.ts'
import { upgrade } from './kubeadm-upgrade.ts'
import { words } from './words.ts'

const withValue = [
  '--config',
  '--token',
  '--discovery-token-ca-cert-hash',
  '--certificate-key',
  '--ttl',
  '--node-name',
  '--ignore-preflight-errors',
  '--cri-socket',
  '-v',
  '--v',
  '-o',
  '--kubernetes-version',
  '--etcd-upgrade',
  '--kubeconfig',
  '--control-plane-endpoint',
  '--pod-network-cidr',
  '--apiserver-advertise-address',
  '--description',
]

const kubeadm: ProgramModel = (argv, ctx) => {
  const given = words(argv, withValue)
  const [verb = '', ...rest] = given.operands
  if (verb === 'version')
    return says(given.values.get('-o') === 'short' ? `${versionOf(ctx.state)}\n` : `kubeadm version: ${versionOf(ctx.state)}\n`)
  if (verb === 'config') return says()
  if (ctx.cluster === null) return complains('the simulated kubeadm needs a host that is part of a fleet')
  const config = readConfig(ctx.state, given.values.get('--config'))
  if (verb === 'init' && rest[0] === 'phase')
    return rest[1] === 'upload-certs'
      ? uploadCertificates(ctx, mustAnswer(ctx.cluster, ctx.state, true), given)
      : complains(`the simulated kubeadm does not know the phase ${rest[1]}`)
  if (verb === 'init') return init(ctx, ctx.cluster, config, given.flags.has('--upload-certs'))
  if (verb === 'join') {
    const key = given.values.get('--certificate-key') ?? valueAt(config.JoinConfiguration, 'controlPlane', 'certificateKey')
    const token = given.values.get('--token') ?? valueAt(config.JoinConfiguration, 'discovery', 'bootstrapToken', 'token')
    const controlPlane = given.flags.has('--control-plane') || valueAt(config.JoinConfiguration, 'controlPlane') !== undefined
    return join(ctx, ctx.cluster, String(token ?? ''), controlPlane, key === undefined ? null : String(key))
  }
  if (verb === 'reset') return reset(ctx, ctx.cluster)
  if (verb === 'token') return tokens(ctx, mustAnswer(ctx.cluster, ctx.state, true), rest, given)
  if (verb === 'certs') return certificates(ctx, ctx.cluster, rest)
  if (verb === 'upgrade') return upgrade(ctx, mustAnswer(ctx.cluster, ctx.state, true), rest, versionOf(ctx.state))
  return complains(`the simulated kubeadm does not know: ${verb}`)
}

/** The version a simulated binary was labelled with. */
function versionOf(state: HostState): string {
  const path = findProgram(state, 'kubeadm')
  const entry = path === null ? null : entryAt(state.root, path)
  const label = entry?.type === 'file' ? Buffer.from(entry.content.head(256)).toString('latin1') : ''
  return /v\d+\.\d+\.\d+/.exec(label)?.[0] ?? 'v1.33.4'
}

/** Everything that is wrong with the host, at once, as the real preflight says it. */
function preflight(state: HostState, controlPlane: boolean): void {
  const problems = [
    ...(hasRuntime(state) ? [] : ['[ERROR CRI]: container runtime is not running']),
    ...(state.swap.length === 0 ? [] : ['[ERROR Swap]: running with swap on is not supported. Please disable swap']),
    ...(sysctlOf(state, 'net.ipv4.ip_forward')?.value === '1'
      ? []
      : ['[ERROR FileContent--proc-sys-net-ipv4-ip_forward]: /proc/sys/net/ipv4/ip_forward contents are not set to 1']),
    ...(findUnitFile(state, 'kubelet.service') === null ? ['[ERROR KubeletNotFound]: kubelet.service does not exist'] : []),
    ...(entryAt(state.root, '/etc/kubernetes/kubelet.conf') === null
      ? []
      : ['[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists']),
    ...(controlPlane && portTaken(state, [tcp(6443)]) !== null ? ['[ERROR Port-6443]: Port 6443 is in use'] : []),
    ...(state.machine.cpus < 2 && controlPlane ? ['[ERROR NumCPU]: the number of available CPUs 1 is less than the required 2'] : []),
  ]
  if (problems.length > 0) throw refuse(`[preflight] Some fatal errors occurred:\n\t${problems.join('\n\t')}`)
}

function init(ctx: ProgramContext, cluster: ClusterAccess, config: ReturnType<typeof readConfig>, upload: boolean): Output {
  preflight(ctx.state, true)
  if (cluster.state.version !== null && apiAnswers(cluster, ctx.state))
    throw refuse('a control plane answers already at the endpoint of this cluster')
  const withEtcd = valueAt(config.ClusterConfiguration, 'etcd', 'external') === undefined
  const version = String(valueAt(config.ClusterConfiguration, 'kubernetesVersion') ?? versionOf(ctx.state))
  ctx.state = becomeControlPlane(ctx.state, cluster, withEtcd, version)
  const namespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'default'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }))
  const system = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kubeadm-config', namespace: 'kube-system' } },
    { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'kube-proxy', namespace: 'kube-system' } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'coredns', namespace: 'kube-system' }, spec: { replicas: 2 } },
  ]
  cluster.state = [...namespaces, ...system].reduce<ClusterState>(withObject, cluster.state)
  ctx.state = becomeNode(ctx.state, cluster, true)
  const key = sha256(`certificate key ${cluster.state.next}`)
  if (upload)
    cluster.state = {
      ...cluster.state,
      certificateKeys: new Map([...cluster.state.certificateKeys, [key, ctx.state.now + hours(2)]]),
      next: cluster.state.next + 1,
    }
  return says('Your Kubernetes control-plane has initialized successfully!\n')
}

function join(ctx: ProgramContext, cluster: ClusterAccess, token: string, controlPlane: boolean, key: string | null): Output {
  preflight(ctx.state, controlPlane)
  mustAnswer(cluster, ctx.state, true)
  const until = cluster.state.tokens.get(token)
  if (until === undefined || until < ctx.state.now)
    throw refuse(
      `error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature for token ID "${token.split('.')[0]}"`,
    )
  if (controlPlane && !hasSharedPki(ctx.state)) {
    const keyUntil = key === null ? undefined : cluster.state.certificateKeys.get(key)
    if (keyUntil === undefined || keyUntil < ctx.state.now)
      throw refuse('error execution phase control-plane-prepare/download-certs: Secret "kubeadm-certs" was not found')
  }
  if (controlPlane)
    ctx.state = becomeControlPlane(
      ctx.state,
      cluster,
      cluster.state.members.some(({ host }) => host !== null && usesStaticEtcd(cluster, host)),
      cluster.state.version ?? '',
    )
  ctx.state = becomeNode(ctx.state, cluster, controlPlane)
  return says('This node has joined the cluster.\n')
}

/** Whether etcd runs there as a pod of the kubelet: a cluster stays with the kind of etcd it began with. */
function usesStaticEtcd(cluster: ClusterAccess, host: string): boolean {
  const state = cluster.peer(host)
  return state !== null && entryAt(state.root, '/etc/kubernetes/manifests/etcd.yaml') !== null
}

function becomeControlPlane(state: HostState, cluster: ClusterAccess, withEtcd: boolean, version: string): HostState {
  const { name, address } = state.machine
  const next = writeControlPlane(writePki(state, withEtcd), withEtcd, version)
  const peerUrl = `https://${address}:2380`
  const member = { id: memberId(state.hostname, peerUrl), name: state.hostname, peerUrl, clientUrl: `https://${address}:2379`, host: name }
  cluster.state = {
    ...cluster.state,
    version: cluster.state.version ?? version,
    controlPlanes: new Set([...cluster.state.controlPlanes, name]),
    members: withEtcd ? [...cluster.state.members.filter((other) => other.peerUrl !== peerUrl), member] : cluster.state.members,
  }
  return next
}

function becomeNode(state: HostState, cluster: ClusterAccess, controlPlane: boolean): HostState {
  const written = writeKubelet(state)
  const started = startUnit(activeState(written, 'kubelet') === 'active' ? stopUnit(written, 'kubelet') : written, 'kubelet')
  const role: Readonly<Record<string, string>> = controlPlane ? { 'node-role.kubernetes.io/control-plane': '' } : {}
  const taints = controlPlane ? [{ key: 'node-role.kubernetes.io/control-plane', value: '', effect: 'NoSchedule' }] : []
  const labels = { 'kubernetes.io/hostname': state.hostname, 'kubernetes.io/arch': state.machine.arch, ...role }
  cluster.state = withObject(cluster.state, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: state.hostname, labels },
    spec: { taints },
  })
  return started
}

function reset(ctx: ProgramContext, cluster: ClusterAccess): Output {
  const { name } = ctx.state.machine
  const ownEtcd = runsComponent(ctx.state, 'etcd') && activeState(ctx.state, 'etcd') !== 'active'
  const stopped = activeState(ctx.state, 'kubelet') === 'active' ? stopUnit(ctx.state, 'kubelet') : ctx.state
  ctx.state = wipe(stopped)
  const controlPlanes = new Set([...cluster.state.controlPlanes].filter((host) => host !== name))
  const members = ownEtcd ? cluster.state.members.filter(({ host }) => host !== name) : cluster.state.members
  // The last one takes the cluster with it.
  const gone = controlPlanes.size === 0 ? { objects: new Map(), tokens: new Map(), certificateKeys: new Map(), version: null } : {}
  cluster.state = { ...cluster.state, controlPlanes, members, ...gone }
  return says('[reset] Deleting contents of directories: [/etc/kubernetes/manifests /var/lib/kubelet /etc/kubernetes/pki]\n')
}

function certificates(ctx: ProgramContext, cluster: ClusterAccess, [verb = '']: readonly string[]): Output {
  if (verb === 'certificate-key') return says(`${sha256(`certificate key ${cluster.state.next}`)}\n`)
  if (verb === 'renew') {
    ctx.state = renewPki(ctx.state, String(ctx.state.now))
    return says('Done renewing certificates. You must restart the kube-apiserver, kube-controller-manager, kube-scheduler and etcd\n')
  }
  return verb === 'check-expiration'
    ? says('CERTIFICATE EXPIRES RESIDUAL TIME\n')
    : complains(`the simulated kubeadm does not know: certs ${verb}`)
}

/** The tool that makes control planes and nodes. */
export function registerKubeadm(table: ProgramTable): void {
  table.register('kubeadm', kubeadm, { needsFile: true })
}
