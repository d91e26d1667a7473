import type { Json } from '../../util/json.ts'
import { objectKey } from '../cluster-state.ts'
import { Content } from '../content.ts'
import { hasQuorum, mustAnswer, stateOf } from '../control-plane.ts'
import { readText, removePath, writeFile } from '../files.ts'
import { refuse } from '../refusal.ts'
import { sampleCertificate } from '../sample-certificate.ts'
import type { ClusterAccess } from '../state.ts'
import { entryAt } from '../tree.ts'
import { isNodeReady } from '../workloads.ts'
import { readYaml } from '../yaml.ts'
import { type Documents, minorOf, valueAt } from './kubeadm-config.ts'
import {
  addFiles,
  hasSharedPki,
  kubeconfig,
  makeEtcdDirectory,
  writeKubeconfigs,
  writeKubeletFiles,
  writePki,
  writePod,
} from './kubeadm-files.ts'
import { asksItself, bootstrapBinding, ignoredChecks, markControlPlane, ownServer, podFiles } from './kubeadm-init.ts'
import {
  markNode,
  memberOf,
  mustRunApiServer,
  nodeName,
  type Run,
  registerNode,
  restartKubelet,
  runStaticPods,
  withMember,
} from './kubeadm-node.ts'
import type { Phase } from './kubeadm-phases.ts'
import { preflight } from './kubeadm-preflight.ts'

const authority = '/etc/kubernetes/pki/ca.crt'
const own = '/etc/kubernetes/kubelet.conf'
const bootstrap = '/etc/kubernetes/bootstrap-kubelet.conf'

/** A join, and what it has found out about the cluster. */
export interface JoinRun extends Run {
  readonly role: 'Join'
  readonly controlPlane: boolean
  /** Where it asks the API. */
  readonly server: string
  readonly certificateKey: string | null
}

/** A document the cluster keeps for those who join. */
export function kept(cluster: ClusterAccess, name: 'kubeadm-config' | 'kubelet-config', key: string): Documents[string] {
  const text = cluster.state.objects.get(objectKey('ConfigMap', 'kube-system', name))?.data?.[key]
  return typeof text === 'string' ? (readYaml(text) as Documents[string]) : {}
}

/** The directory of a stacked etcd, as the cluster's own configuration has it; null where etcd is not kubeadm's. */
export function stackedData(cluster: ClusterAccess, config: Documents[string]): string | null {
  if (valueAt(config, 'etcd', 'external') !== undefined) return null
  const started = cluster.state.members.some(({ host }) => host !== null && hasEtcdPod(cluster, host))
  return started || valueAt(config, 'etcd', 'local') !== undefined
    ? String(valueAt(config, 'etcd', 'local', 'dataDir') ?? '/var/lib/etcd')
    : null
}

const hasEtcdPod = (cluster: ClusterAccess, host: string): boolean => {
  const state = cluster.peer(host)
  return state !== null && entryAt(state.root, '/etc/kubernetes/manifests/etcd.yaml') !== null
}

const onMasters =
  (does: (run: JoinRun) => void) =>
  (run: Run): void => {
    if ((run as JoinRun).controlPlane) does(run as JoinRun)
  }

const onAll =
  (does: (run: JoinRun) => void) =>
  (run: Run): void =>
    does(run as JoinRun)

/** The phases of `kubeadm join`; since 1.31 those that take a master into etcd come before the end of the bootstrap. */
export const joinPhases = (version: string): readonly Phase[] => [
  { name: 'preflight', does: onAll(checkHost) },
  { name: 'control-plane-prepare', does: onMasters(prepareControlPlane) },
  { name: 'check-etcd', does: onMasters(checkEtcd) },
  { name: 'kubelet-start', does: onAll(startKubelet) },
  ...(minorOf(version) >= 31
    ? [
        { name: 'etcd-join', does: onMasters(joinEtcd) },
        { name: 'kubelet-wait-bootstrap', does: onAll(endBootstrap) },
      ]
    : []),
  {
    name: 'control-plane-join',
    does: onMasters((run) => {
      if (minorOf(version) < 31) joinEtcd(run)
      markControlPlane(run, run.config.JoinConfiguration)
    }),
  },
  { name: 'wait-control-plane', does: onMasters(mustRunApiServer) },
]

function checkHost({ ctx, cluster, config, controlPlane, etcdData, certificateKey }: JoinRun): void {
  const ignored = ignoredChecks(config.JoinConfiguration)
  const files = [own, bootstrap, ...(controlPlane ? podFiles : [authority])]
  preflight({ state: ctx.state, files, controlPlane, etcdData: controlPlane ? etcdData : null, ignored })
  if (!controlPlane || hasSharedPki(ctx.state)) return
  const until = certificateKey === null ? undefined : cluster.state.certificateKeys.get(certificateKey)
  if (until === undefined || until < ctx.state.now)
    throw refuse('error execution phase control-plane-prepare/download-certs: Secret "kubeadm-certs" was not found')
}

function prepareControlPlane(run: JoinRun): void {
  const { ctx, cluster, etcdData } = run
  const endpoint = valueAt(run.config.ClusterConfiguration, 'controlPlaneEndpoint')
  const local = ownServer(run, 'JoinConfiguration')
  const certified = writePki(ctx.state, etcdData !== null)
  const urls = { endpoint: endpoint === undefined ? local : `https://${endpoint}`, own: local, kubelet: null }
  const ready = writeKubeconfigs(certified, urls)
  const pods = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']
  ctx.state = pods.reduce((state, name) => writePod(state, name, cluster.state.version ?? run.version), ready)
}

function checkEtcd({ ctx, cluster, etcdData }: JoinRun): void {
  if (etcdData !== null && !hasQuorum(cluster, ctx.state)) throw refuse('error execution phase check-etcd: etcd cluster is not healthy')
}

function startKubelet(run: JoinRun): void {
  const { ctx, cluster, config, server } = run
  const name = nodeName(run)
  if (cluster.state.objects.has(objectKey('Node', undefined, name)) && isNodeReady(cluster, ctx.state, name))
    throw refuse(`error execution phase kubelet-start: a Node with name "${name}" and status "Ready" already exists in the cluster`)
  const trusted = stateOf(cluster, ctx.state, [...cluster.state.controlPlanes][0] ?? '')
  const certified = addFiles(ctx.state, { [authority]: (trusted === null ? null : readText(trusted, authority)) ?? '' }, '0644')
  const written = writeFile(certified, bootstrap, new Content(kubeconfig('bootstrap', server)), { mode: '0600' })
  ctx.state = writeKubeletFiles(written, config, 'Join', run.version)
  restartKubelet(run)
  runStaticPods(run)
  if (minorOf(run.version) < 31) endBootstrap(run)
}

/** The kubelet gets a certificate of its own, with which it registers; what it began with goes. */
function endBootstrap(run: JoinRun): void {
  const { ctx, cluster, controlPlane, server } = run
  if (!cluster.state.objects.has(objectKey('ClusterRoleBinding', undefined, bootstrapBinding)))
    throw refuse('error execution phase kubelet-start: failed while waiting for TLS bootstrap: timed out')
  const local = controlPlane && asksItself(run.version)
  const files = {
    [own]: kubeconfig('kubelet', local ? ownServer(run, 'JoinConfiguration') : server),
    '/var/lib/kubelet/pki/kubelet-client-current.pem': sampleCertificate,
  }
  ctx.state = removePath(addFiles(ctx.state, files), bootstrap, false)
  registerNode(run)
  const taints = valueAt(run.config.JoinConfiguration, 'nodeRegistration', 'taints') as readonly Json[] | undefined
  if (!controlPlane && taints !== undefined && taints.length > 0) markNode(run, {}, { taints })
}

function joinEtcd(run: JoinRun): void {
  const { ctx, cluster, etcdData } = run
  if (etcdData === null) return
  mustAnswer(cluster, ctx.state, true)
  cluster.state = { ...cluster.state, members: withMember(cluster.state.members, memberOf(run)) }
  ctx.state = writePod(makeEtcdDirectory(ctx.state, etcdData), 'etcd', run.version)
  runStaticPods(run)
}
