import { isMap, type RawMap } from './places.ts'

/** Another spelling of a field. */
export interface Alias {
  readonly from: string
  readonly to: string
  /** Turns the value into the form the canonical field takes; undefined drops it. */
  readonly convert?: (value: unknown) => unknown
}

const kubernetes = (pairs: Readonly<Record<string, string>>): readonly Alias[] =>
  Object.entries(pairs).map(([from, to]) => ({ from: `spec.kubernetes.${from}`, to: `spec.kubernetes.${to}` }))
const inside = (parent: string, pairs: Readonly<Record<string, string>>): readonly Alias[] =>
  Object.entries(pairs).map(([from, to]) => ({ from: `${parent}.${from}`, to: `${parent}.${to}` }))

/** Names the seeds and their relatives use for the same thing. What is not in this table is not accepted. */
export const aliases: readonly Alias[] = [
  ...inside('spec.controlPlaneEndpoint', {
    internalLoadBalancer: 'internalLoadbalancer',
    externalLoadbalancer: 'externalLoadBalancer',
    lbAddress: 'lb_address',
    address: 'lb_address',
    nginx: 'nginxLB',
    'highAvailability.external.type': 'externalLoadBalancer',
    'highAvailability.internal.type': 'internalLoadbalancer',
    'highAvailability.external.keepalived': 'keepalived',
    'highAvailability.external.haproxy': 'haproxy',
    'highAvailability.external.nginxLB': 'nginxLB',
    'highAvailability.external.kubevip': 'kubevip',
    'highAvailability.internal.workerNodeHAProxy': 'haproxy',
    'highAvailability.internal.workerNodeNginxLB': 'nginxLB',
  }),
  { from: 'spec.loadBalancer.vip', to: 'spec.controlPlaneEndpoint.lb_address' },
  { from: 'spec.loadBalancer.external.type', to: 'spec.controlPlaneEndpoint.externalLoadBalancer' },
  { from: 'spec.loadBalancer.internal.type', to: 'spec.controlPlaneEndpoint.internalLoadbalancer' },
  { from: 'spec.runtime', to: 'spec.kubernetes.containerRuntime' },
  { from: 'spec.etcd.nodes', to: 'spec.roleGroups.etcd' },
  { from: 'spec.roleGroups.control-plane', to: 'spec.roleGroups.master' },
  { from: 'spec.roleGroups.controlPlane', to: 'spec.roleGroups.master' },
  ...kubernetes({
    'containerRuntime.cri-o': 'containerRuntime.crio',
    'containerRuntime.isula': 'containerRuntime.isulad',
    kubeletConfiguration: 'kubelet.configuration',
    kubeProxyConfiguration: 'kubeProxy.configuration',
    kubeletArgs: 'kubelet.extraArgs',
    apiserverArgs: 'apiServer.extraArgs',
    controllerManagerArgs: 'controllerManager.extraArgs',
    schedulerArgs: 'scheduler.extraArgs',
    kubeProxyArgs: 'kubeProxy.extraArgs',
    'apiServer.certExtraSans': 'apiserverCertExtraSans',
    'apiServer.autoRenewCerts': 'autoRenewCerts',
    'kubelet.maxPods': 'maxPods',
    'kubelet.podPidsLimit': 'podPidsLimit',
    'controllerManager.nodeCidrMaskSize': 'nodeCidrMaskSize',
    'controllerManager.nodeCidrMaskSizeIPv6': 'nodeCidrMaskSizeIPv6',
    'kubeProxy.mode': 'proxyMode',
    'kubeProxy.masqueradeAll': 'masqueradeAll',
    'addons.kata': 'kata',
    'addons.nodeFeatureDiscovery': 'nodeFeatureDiscovery',
    'addons.nvidiaRuntime': 'nvidiaRuntime',
  }),
  { from: 'spec.kubernetes.addons.nodelocaldns', to: 'spec.dns.nodelocaldns' },
  ...inside('spec.kubernetes.containerRuntime.isulad', {
    registryMirrors: 'registry-mirrors',
    insecureRegistries: 'insecure-registries',
    dataRoot: 'data-root',
  }),
  ...inside('spec.etcd', {
    externalConfig: 'external',
    'cluster.dataDir': 'dataDir',
    'cluster.clientPort': 'clientPort',
    'cluster.peerPort': 'peerPort',
    'cluster.clusterToken': 'clusterToken',
    'cluster.extraArgs': 'extraArgs',
    'performance.heartbeatIntervalMillis': 'heartbeatInterval',
    'performance.electionTimeoutMillis': 'electionTimeout',
    ...Object.fromEntries(
      [
        'snapshotCount',
        'autoCompactionRetention',
        'quotaBackendBytes',
        'maxRequestBytes',
        'maxSnapshots',
        'maxWals',
        'metrics',
        'logLevel',
      ].map((name) => [`performance.${name}`, name]),
    ),
  }),
  ...inside('spec.network', {
    podCidr: 'kubePodsCIDR',
    serviceCidr: 'kubeServiceCIDR',
    podCIDR: 'kubePodsCIDR',
    serviceCIDR: 'kubeServiceCIDR',
    'kube-ovn': 'kubeovn',
  }),
  ...inside('spec.network.calico', {
    'networking.ipipMode': 'ipipMode',
    'networking.vxlanMode': 'vxlanMode',
    'networking.vethMTU': 'vethMTU',
    'networking.bgp': 'bgp',
  }),
  ...inside('spec.registry', {
    'mirroring.privateRegistry': 'privateRegistry',
    'mirroring.namespaceOverride': 'namespaceOverride',
    'mirroring.namespaceRewrite': 'namespaceRewrite',
    'local.type': 'type',
    'local.deleteDataOnClean': 'deleteDataOnClean',
    'local.registryDataDir': 'registryDataDir',
  }),
  { from: 'spec.dns.coredns.upstream.staticServers', to: 'spec.dns.coredns.upstreamDNSServers' },
  { from: 'spec.storage.openebs.engines.localHostpath.basePath', to: 'spec.storage.openebs.basePath' },
  ...inside('spec.certs', { caDuration: 'CADuration', certDuration: 'CertDuration' }),
  { from: 'spec.host', to: 'spec.extra.hosts', convert: (value) => (typeof value === 'string' ? hostLines(value) : value) },
]

/** Words for the same choice, by field. */
export const valueAliases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  apiVersion: { 'kubexms.io/v1alpha1': 'kubexm.mensylisir.io/v1alpha1' },
  'spec.controlPlaneEndpoint.externalLoadBalancer': { kubexm: 'kubexm-kh', none: '' },
  'spec.controlPlaneEndpoint.internalLoadbalancer': { kubevip: 'kube-vip', none: '' },
  'spec.kubernetes.containerRuntime.type': { isula: 'isulad', crio: 'cri-o' },
  'spec.network.plugin': { kubeovn: 'kube-ovn' },
  'spec.registry.type': { 'docker-registry': 'registry' },
}

/** Lines of a hosts file as entries: `192.168.1.100 a.example.com b.example.com`. */
const hostLines = (text: string): readonly RawMap[] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([address, ...names]) => names.map((domain) => ({ domain, address })))

/** `{ip, hostnames}` is one address with several names. */
export const hostEntries = (entry: unknown): readonly unknown[] =>
  isMap(entry) && Array.isArray(entry.hostnames)
    ? entry.hostnames.map((domain) => ({ domain, address: entry.ip ?? entry.address }))
    : [entry]
