import { type Cluster, type ClusterSpec, placeOfField } from '../../../../config/index.ts'
import { type Finding, finding } from '../../../../event/index.ts'
import { defineCheck } from '../../../../step/index.ts'
import { seconds } from '../../../../util/time.ts'

/** Something a config may say already and this version cannot do yet. */
interface NotYet {
  readonly path: readonly string[]
  /** Whether the config asks for it. */
  readonly isAsked: (spec: ClusterSpec) => boolean
  /** What it asks for, where that is more than the name of the field. */
  readonly what?: (spec: ClusterSpec) => string
  /** What can be written in its place. */
  readonly instead: string
}

const byHand = 'nothing there, and install it yourself once the cluster is up'

const table: readonly NotYet[] = [
  {
    path: ['network', 'plugin'],
    isAsked: ({ network }) => network.plugin !== 'flannel' && network.plugin !== 'none',
    what: ({ network }) => `network.plugin: ${network.plugin}`,
    instead: 'plugin: flannel, or none and install it yourself',
  },
  {
    path: ['network', 'flannel', 'sources'],
    isAsked: ({ network }) => network.plugin === 'flannel' && network.flannel.sources !== undefined,
    instead: 'nothing there, or network.plugin: none and apply them yourself',
  },
  { path: ['network', 'multus', 'enabled'], isAsked: ({ network }) => network.multus.enabled, instead: 'enabled: false' },
  {
    path: ['kubernetes', 'containerRuntime', 'type'],
    isAsked: ({ kubernetes }) => kubernetes.containerRuntime.type !== 'containerd',
    what: ({ kubernetes }) => `containerRuntime.type: ${kubernetes.containerRuntime.type}`,
    instead: 'type: containerd',
  },
  {
    path: ['kubernetes', 'autoRenewCerts'],
    isAsked: ({ kubernetes }) => kubernetes.autoRenewCerts,
    instead: 'autoRenewCerts: false, and a certs.CertDuration that is long enough',
  },
  ...(['kata', 'nodeFeatureDiscovery', 'nvidiaRuntime'] as const).map((name) => ({
    path: ['kubernetes', name, 'enabled'],
    isAsked: ({ kubernetes }: ClusterSpec) => kubernetes[name].enabled,
    instead: 'enabled: false',
  })),
  // The pods of kube-proxy are kubeadm's, and it takes no arguments for them.
  {
    path: ['kubernetes', 'kubeProxy', 'extraArgs'],
    isAsked: ({ kubernetes }) => kubernetes.type === 'kubeadm' && Object.keys(kubernetes.kubeProxy.extraArgs).length > 0,
    what: () => 'kubeProxy.extraArgs with kubernetes.type: kubeadm',
    instead: 'the same under kubeProxy.configuration',
  },
  {
    path: ['dns', 'nodelocaldns', 'enabled'],
    isAsked: ({ dns }) => dns.nodelocaldns.enabled,
    instead: 'enabled: false: pods then ask CoreDNS',
  },
  {
    path: ['dns', 'nodeEtcHosts'],
    isAsked: ({ dns }) => dns.nodeEtcHosts.trim() !== '',
    instead: 'it as dnsEtcHosts, which CoreDNS answers from',
  },
  {
    path: ['dns', 'sources'],
    isAsked: ({ dns }) => dns.sources !== undefined,
    instead: 'nothing there: kubexm brings CoreDNS along',
  },
  {
    path: ['registry', 'type'],
    isAsked: ({ registry }) => registry.type === 'harbor',
    what: () => 'registry.type: harbor',
    instead: 'type: registry',
  },
  ...(['openebs', 'nfs', 'longhorn', 'rookCeph'] as const).map((name) => ({
    path: ['storage', name],
    isAsked: ({ storage }: ClusterSpec) => storage[name] !== undefined,
    instead: byHand,
  })),
  { path: ['addons'], isAsked: ({ addons }) => addons.some(({ enabled }) => enabled), instead: byHand },
  { path: ['gateway', 'ingressNginx', 'enabled'], isAsked: ({ gateway }) => gateway.ingressNginx.enabled, instead: 'enabled: false' },
]

function notYet(cluster: Cluster): readonly Finding[] {
  return table
    .filter(({ isAsked }) => isAsked(cluster.spec))
    .map(({ path, what = () => path.join('.'), instead }) =>
      finding('KX_NOT_YET', { place: placeOfField(cluster, ['spec', ...path]), what: what(cluster.spec), instead }, 'error'),
    )
}

/** A config is judged by what it means; whether it can be done today is another question. */
export const supported = defineCheck({
  name: 'preflight.supported',
  title: 'Check that this version of kubexm can do what the config asks for',
  timeout: seconds(10),
  check: async ({ cluster }) => notYet(cluster),
})
