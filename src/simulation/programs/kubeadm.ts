import { stringify } from 'yaml'
import type { Output } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import { Content } from '../content.ts'
import { mustAnswer, runsComponent } from '../control-plane.ts'
import { writeFile } from '../files.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import type { ClusterAccess, HostState } from '../state.ts'
import { entryAt } from '../tree.ts'
import { findProgram } from '../unit-process.ts'
import { activeState, stopUnit } from '../units.ts'
import { type Documents, readConfig, valueAt } from './kubeadm-config.ts'
import { discover } from './kubeadm-discovery.ts'
import { renewPki, wipe } from './kubeadm-files.ts'
import { initDone, initPhases } from './kubeadm-init.ts'
import { type JoinRun, joinPhases, kept, stackedData } from './kubeadm-join.ts'
import type { Run } from './kubeadm-node.ts'
import { runPhase, runPhases } from './kubeadm-phases.ts'
import { tokens, uploadCertificates } from './kubeadm-token.ts'
import { upgrade } from './kubeadm-upgrade.ts'
import { type Words, words } from './words.ts'

const withValue = [
  '--config',
  '--token',
  '--discovery-token-ca-cert-hash',
  '--certificate-key',
  '--ttl',
  '--node-name',
  '--ignore-preflight-errors',
  '--skip-phases',
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
  '--patches',
]

const kubeadm: ProgramModel = (argv, ctx) => {
  const given = words(argv, withValue)
  const [verb = '', ...rest] = given.operands
  const version = versionOf(ctx.state)
  if (verb === 'version') return says(given.values.get('-o') === 'short' ? `${version}\n` : `kubeadm version: ${version}\n`)
  if (verb === 'config') return says()
  if (ctx.cluster === null) return complains('the simulated kubeadm needs a host that is part of a fleet')
  const config = readConfig(ctx.state, given.values.get('--config'), version)
  if (verb === 'init') return init(ctx, ctx.cluster, config, given, rest)
  if (verb === 'join') return join(ctx, ctx.cluster, config, given, rest)
  if (verb === 'reset') return reset(ctx, ctx.cluster)
  if (verb === 'token') return tokens(ctx, mustAnswer(ctx.cluster, ctx.state, true), rest, given)
  if (verb === 'certs') return certificates(ctx, ctx.cluster, rest)
  if (verb !== 'upgrade') return complains(`the simulated kubeadm does not know: ${verb}`)
  const cluster = mustAnswer(ctx.cluster, ctx.state, true)
  return rest.join(' ') === 'node phase kubelet-config' ? configureKubelet(ctx, cluster) : upgrade(ctx, cluster, rest, version)
}

/** The version a simulated binary was labelled with. */
function versionOf(state: HostState): string {
  const path = findProgram(state, 'kubeadm')
  const entry = path === null ? null : entryAt(state.root, path)
  const label = entry?.type === 'file' ? Buffer.from(entry.content.head(256)).toString('latin1') : ''
  return /v\d+\.\d+\.\d+/.exec(label)?.[0] ?? 'v1.33.4'
}

const skipped = ({ values }: Words): readonly string[] => (values.get('--skip-phases') ?? '').split(',').filter((name) => name !== '')

function init(ctx: ProgramContext, cluster: ClusterAccess, config: Documents, given: Words, [noun, ...phase]: readonly string[]): Output {
  if (noun === 'phase' && phase[0] === 'upload-certs') return uploadCertificates(ctx, mustAnswer(cluster, ctx.state, true), given)
  const local = valueAt(config.ClusterConfiguration, 'etcd', 'external') === undefined
  const etcdData = local ? String(valueAt(config.ClusterConfiguration, 'etcd', 'local', 'dataDir') ?? '/var/lib/etcd') : null
  const run: Run = { ctx, cluster, config, version: versionOf(ctx.state), role: 'Init', etcdData }
  if (noun === 'phase') {
    runPhase(initPhases, run, phase)
    return says()
  }
  runPhases(initPhases, run, skipped(given))
  if (given.flags.has('--upload-certs')) uploadCertificates(ctx, cluster, given)
  return says(initDone(run))
}

function join(ctx: ProgramContext, cluster: ClusterAccess, config: Documents, given: Words, [noun, ...phase]: readonly string[]): Output {
  const { JoinConfiguration: own } = config
  const key = given.values.get('--certificate-key') ?? valueAt(own, 'controlPlane', 'certificateKey')
  const token = given.values.get('--token') ?? valueAt(own, 'discovery', 'bootstrapToken', 'token')
  const version = versionOf(ctx.state)
  const before: Run = { ctx, cluster, config, version, role: 'Join', etcdData: null }
  const server = discover(before, token === undefined ? null : String(token))
  const clusterConfig = kept(cluster, 'kubeadm-config', 'ClusterConfiguration')
  const run: JoinRun = {
    ...before,
    role: 'Join',
    // What the cluster says counts, not what else is in the file.
    config: { ...config, ClusterConfiguration: clusterConfig, KubeletConfiguration: kept(cluster, 'kubelet-config', 'kubelet') },
    etcdData: stackedData(cluster, clusterConfig),
    controlPlane: given.flags.has('--control-plane') || valueAt(own, 'controlPlane') !== undefined,
    server,
    certificateKey: key === undefined ? null : String(key),
  }
  if (noun === 'phase') runPhase(joinPhases(version), run, phase)
  else runPhases(joinPhases(version), run, skipped(given))
  return says('This node has joined the cluster.\n')
}

/** Writes the configuration of the kubelet as the cluster has it now. */
function configureKubelet(ctx: ProgramContext, cluster: ClusterAccess): Output {
  const text = stringify(kept(cluster, 'kubelet-config', 'kubelet'))
  ctx.state = writeFile(ctx.state, '/var/lib/kubelet/config.yaml', new Content(text), { mode: '0644' })
  return says('[upgrade] The configuration for this node was successfully upgraded!\n')
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

/** Runs a program while nobody else holds the lock: on a simulated host nobody else ever does. */
const flock: ProgramModel = (argv, ctx) => ctx.call(argv.slice(2))

/** The tool that makes control planes and nodes. */
export function registerKubeadm(table: ProgramTable): void {
  table.register('kubeadm', kubeadm, { needsFile: true }).register('flock', flock)
}
