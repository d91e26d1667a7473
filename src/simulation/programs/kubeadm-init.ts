import { stringify } from 'yaml'
import type { Json } from '../../util/json.ts'
import { type ClusterState, type KubeObject, withObject } from '../cluster-state.ts'
import { apiAnswers, mustAnswer } from '../control-plane.ts'
import { readText, rewriteFile } from '../files.ts'
import { refuse } from '../refusal.ts'
import { sampleCertificate } from '../sample-certificate.ts'
import { minorOf, valueAt } from './kubeadm-config.ts'
import { addFiles, makeEtcdDirectory, writeKubeconfigs, writeKubeletFiles, writePki, writePod } from './kubeadm-files.ts'
import { markNode, mustRunApiServer, nodeName, type Run, registerNode, restartKubelet, runStaticPods } from './kubeadm-node.ts'
import type { Phase } from './kubeadm-phases.ts'
import { preflight } from './kubeadm-preflight.ts'

const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const

/** The pods of a control plane, and what makes a stacked etcd one of them. */
export const podFiles = ['etcd', ...components].map((name) => `/etc/kubernetes/manifests/${name}.yaml`)

/** The checks a user has switched off. */
export const ignoredChecks = (config: unknown): readonly string[] =>
  (valueAt(config, 'nodeRegistration', 'ignorePreflightErrors') as readonly string[] | undefined) ?? []

/** The API server of this host, by its own address. */
export const ownServer = ({ ctx, config }: Run, kind: 'InitConfiguration' | 'JoinConfiguration'): string => {
  const endpoint =
    kind === 'InitConfiguration' ? valueAt(config[kind], 'localAPIEndpoint') : valueAt(config[kind], 'controlPlane', 'localAPIEndpoint')
  return `https://${valueAt(endpoint, 'advertiseAddress') ?? ctx.state.machine.address}:${valueAt(endpoint, 'bindPort') ?? 6443}`
}

/** Whether the kubelets of masters ask the API server beside them. */
export const asksItself = (version: string): boolean => minorOf(version) >= 33

/** Writes objects as the administrator, whom the API must know. */
function put({ ctx, cluster }: Run, ...objects: readonly KubeObject[]): void {
  mustAnswer(cluster, ctx.state, true)
  cluster.state = objects.reduce<ClusterState>(withObject, cluster.state)
}

const configMap = (name: string, data: Readonly<Record<string, Json>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: name === 'cluster-info' ? 'kube-public' : 'kube-system' },
  data,
})

const binding = (name: string): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name },
})

/** What lets a bootstrapping kubelet in. */
export const bootstrapBinding = 'kubeadm:node-autoapprove-bootstrap'

const isOff = (run: Run, addon: 'dns' | 'proxy'): boolean => valueAt(run.config.ClusterConfiguration, addon, 'disabled') === true

/** The phases of `kubeadm init`, as they follow each other. */
export const initPhases: readonly Phase[] = [
  {
    name: 'preflight',
    does: ({ ctx, cluster, config, etcdData }) => {
      preflight({ state: ctx.state, files: podFiles, controlPlane: true, etcdData, ignored: ignoredChecks(config.InitConfiguration) })
      if (cluster.state.version !== null && apiAnswers(cluster, ctx.state))
        throw refuse('a control plane answers already at the endpoint of this cluster')
    },
  },
  {
    name: 'certs',
    does: ({ ctx, etcdData }) => {
      ctx.state = writePki(ctx.state, etcdData !== null)
    },
  },
  {
    name: 'kubeconfig',
    does: (run) => {
      const own = ownServer(run, 'InitConfiguration')
      const named = valueAt(run.config.ClusterConfiguration, 'controlPlaneEndpoint')
      const endpoint = named === undefined ? own : `https://${named}`
      run.ctx.state = writeKubeconfigs(run.ctx.state, { endpoint, own, kubelet: asksItself(run.version) ? own : endpoint })
    },
  },
  {
    name: 'etcd',
    parts: [
      {
        name: 'local',
        does: ({ ctx, etcdData, version }) => {
          if (etcdData !== null) ctx.state = writePod(makeEtcdDirectory(ctx.state, etcdData), 'etcd', version)
        },
      },
    ],
  },
  {
    name: 'control-plane',
    does: ({ ctx, config, version }) => {
      const wanted = String(valueAt(config.ClusterConfiguration, 'kubernetesVersion') ?? version)
      ctx.state = components.reduce((state, name) => writePod(state, name, wanted), ctx.state)
    },
  },
  {
    name: 'kubelet-start',
    does: (run) => {
      run.ctx.state = writeKubeletFiles(run.ctx.state, run.config, 'Init', run.version)
      restartKubelet(run)
      runStaticPods(run)
    },
  },
  {
    name: 'wait-control-plane',
    does: (run) => {
      mustRunApiServer(run)
      registerNode(run)
    },
  },
  {
    name: 'upload-config',
    does: (run) =>
      put(
        run,
        configMap('kubeadm-config', { ClusterConfiguration: stringify(run.config.ClusterConfiguration ?? {}) }),
        configMap('kubelet-config', { kubelet: stringify(run.config.KubeletConfiguration ?? { kind: 'KubeletConfiguration' }) }),
      ),
  },
  { name: 'upload-certs' },
  { name: 'mark-control-plane', does: (run) => markControlPlane(run, run.config.InitConfiguration) },
  {
    name: 'bootstrap-token',
    does: (run) =>
      put(run, configMap('cluster-info', {}), binding(bootstrapBinding), binding('kubeadm:node-autoapprove-certificate-rotation')),
  },
  { name: 'kubelet-finalize', does: finalizeKubelet },
  {
    name: 'addon',
    parts: [
      {
        name: 'coredns',
        does: (run) => {
          const metadata = { name: 'coredns', namespace: 'kube-system' }
          if (!isOff(run, 'dns')) put(run, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2 } })
        },
      },
      {
        name: 'kube-proxy',
        does: (run) => {
          const metadata = { name: 'kube-proxy', namespace: 'kube-system' }
          if (!isOff(run, 'proxy')) put(run, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata })
        },
      },
    ],
  },
  { name: 'show-join-command' },
]

/** Labels and taints of a control plane: a list in the configuration, be it empty, is all there is. */
export function markControlPlane(run: Run, config: unknown): void {
  const role = 'node-role.kubernetes.io/control-plane'
  mustAnswer(run.cluster, run.ctx.state, true)
  const given = valueAt(config, 'nodeRegistration', 'taints') as readonly Json[] | undefined
  markNode(run, { [role]: '' }, { taints: given ?? [{ key: role, value: '', effect: 'NoSchedule' }] })
}

/** The kubelet goes on with a certificate that it renews itself. */
function finalizeKubelet({ ctx }: Run): void {
  const path = '/etc/kubernetes/kubelet.conf'
  const pem = '/var/lib/kubelet/pki/kubelet-client-current.pem'
  ctx.state = addFiles(ctx.state, { [pem]: sampleCertificate })
  const text = readText(ctx.state, path) ?? ''
  if (!text.includes(pem)) ctx.state = rewriteFile(ctx.state, path, `${text}# client-certificate: ${pem}\n`)
}

/** What `kubeadm init` says when it is done. */
export const initDone = (run: Run): string => `Your Kubernetes control-plane has initialized successfully on ${nodeName(run)}!\n`
