import { apiServerPort, type ClusterHost, type ClusterSpec, type Role } from '../../../../config/index.ts'

/** A port a host will listen on: who needs it free, and who has to reach it. */
export interface PortNeed {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  /** The program that is to listen there; one that kubexm put there may hold it already. */
  readonly user: string
  /** Where it listens; nothing: on all addresses. */
  readonly at?: string
  /** The hosts that connect to it; nothing: only the host itself. */
  readonly from?: Who
}

/** Hosts by what they do: `node` is a master or a worker. */
export type Who = Role | 'node'

interface PortRow extends Omit<PortNeed, 'protocol'> {
  readonly protocol?: 'udp'
  readonly on: Who
  readonly except?: Role
}

/** Whether a host is one of these. */
export const isOne = ({ roles }: Pick<ClusterHost, 'roles'>, who: Who): boolean =>
  who === 'node' ? roles.includes('master') || roles.includes('worker') : roles.includes(who)

const loopback = '127.0.0.1'

function kubernetesPorts(spec: ClusterSpec): readonly PortRow[] {
  const { etcd } = spec
  const proxy: readonly PortRow[] = [
    { on: 'node', port: 10249, user: 'kube-proxy', at: loopback },
    { on: 'node', port: 10256, user: 'kube-proxy' },
  ]
  return [
    { on: 'master', port: apiServerPort(spec), user: 'kube-apiserver', from: 'node' },
    { on: 'master', port: 10257, user: 'kube-controller-manager', at: loopback },
    { on: 'master', port: 10259, user: 'kube-scheduler', at: loopback },
    { on: 'node', port: 10250, user: 'kubelet', from: 'master' },
    { on: 'node', port: 10248, user: 'kubelet', at: loopback },
    ...(spec.kubernetes.proxyMode === 'none' ? [] : proxy),
    { on: 'etcd', port: etcd.clientPort, user: 'etcd', from: 'master' },
    { on: 'etcd', port: etcd.peerPort, user: 'etcd', from: 'etcd' },
  ]
}

function balancerPorts({ controlPlaneEndpoint: endpoint }: ClusterSpec): readonly PortRow[] {
  const { haproxy, nginxLB, internalLoadbalancer: internal } = endpoint
  const pages = { haproxy: haproxy.healthCheckPort, nginx: nginxLB.healthCheckPort }
  const external: Readonly<Record<string, readonly PortRow[]>> = {
    'kubexm-kh': [
      { on: 'loadbalancer', port: haproxy.frontendPort ?? endpoint.port, user: 'haproxy', from: 'node' },
      { on: 'loadbalancer', port: pages.haproxy, user: 'haproxy', at: loopback },
    ],
    'kubexm-kn': [
      { on: 'loadbalancer', port: nginxLB.listenPort ?? endpoint.port, user: 'nginx', from: 'node' },
      { on: 'loadbalancer', port: pages.nginx, user: 'nginx', at: loopback },
    ],
  }
  const onWorkers: readonly PortRow[] = [endpoint.port, pages[internal === 'nginx' ? 'nginx' : 'haproxy']].map((port) => ({
    on: 'worker',
    except: 'master',
    port,
    user: internal,
    at: loopback,
  }))
  return [...(external[endpoint.externalLoadBalancer] ?? []), ...(internal === 'haproxy' || internal === 'nginx' ? onWorkers : [])]
}

function networkPorts({ network, dns }: ClusterSpec): readonly PortRow[] {
  const { calico, flannel, cilium } = network
  const plugins: Readonly<Record<typeof network.plugin, readonly PortRow[]>> = {
    calico: [
      ...(calico.bgp.enabled ? [{ on: 'node', port: 179, user: 'bird', from: 'node' } as const] : []),
      { on: 'node', port: 9099, user: 'calico-node', at: loopback },
    ],
    flannel: flannel.backend.type === 'vxlan' ? [{ on: 'node', port: flannel.backend.vxlan.port, protocol: 'udp', user: 'flannel' }] : [],
    cilium: [
      { on: 'node', port: 4240, user: 'cilium-agent', from: 'node' },
      ...(cilium.hubble.enable ? [{ on: 'node', port: 4244, user: 'cilium-agent', from: 'node' } as const] : []),
    ],
    'kube-ovn': [6641, 6642].map((port) => ({ on: 'master', port, user: 'ovsdb-server', from: 'node' }) as const),
    none: [],
  }
  const cache: PortRow = { on: 'node', port: 53, user: 'node-cache', at: dns.nodelocaldns.ip }
  return [...plugins[network.plugin], ...(dns.nodelocaldns.enabled ? [cache, { ...cache, protocol: 'udp' } as const] : [])]
}

function registryPorts({ registry }: ClusterSpec): readonly PortRow[] {
  const { registryConfig, harborConfig } = registry
  const ports = { registry: [registryConfig.port], harbor: [harborConfig.httpPort, harborConfig.httpsPort], external: [], none: [] }
  return ports[registry.type].map((port) => ({ on: 'registry', port, user: registry.type, from: 'node' }))
}

const known = new WeakMap<ClusterSpec, Map<string, readonly PortNeed[]>>()

/** Every port a host will listen on, by its roles. Every host asks for every other: the answer is made once for each set of roles. */
export function portsOf(spec: ClusterSpec, { roles }: Pick<ClusterHost, 'roles'>): readonly PortNeed[] {
  const byRoles = known.get(spec) ?? new Map<string, readonly PortNeed[]>()
  known.set(spec, byRoles)
  const ports = byRoles.get(roles.join()) ?? portsFor(spec, roles)
  byRoles.set(roles.join(), ports)
  return ports
}

function portsFor(spec: ClusterSpec, roles: readonly Role[]): readonly PortNeed[] {
  return [...kubernetesPorts(spec), ...balancerPorts(spec), ...networkPorts(spec), ...registryPorts(spec)]
    .filter(({ on, except }) => isOne({ roles }, on) && (except === undefined || !roles.includes(except)))
    .map(({ on: _on, except: _except, protocol, ...need }) => ({ protocol: protocol ?? ('tcp' as const), ...need }))
}

/** A kernel module and what needs it. */
export interface ModuleNeed {
  readonly module: string
  readonly user: string
}

export const ipvsModules = ['ip_vs', 'ip_vs_rr', 'ip_vs_wrr', 'ip_vs_sh'] as const

/** The kernel modules of a node, without those of ipvs, which has an alternative. */
export function modulesOf({ network, system, kubernetes }: ClusterSpec): readonly ModuleNeed[] {
  const { plugin, calico, flannel, kubeovn } = network
  const transport = {
    calico: [calico.ipipMode !== 'Never' ? 'ipip' : '', calico.vxlanMode !== 'Never' ? 'vxlan' : ''],
    flannel: [flannel.backend.type === 'vxlan' ? 'vxlan' : flannel.backend.type === 'wireguard' ? 'wireguard' : ''],
    cilium: [],
    'kube-ovn': ['openvswitch', kubeovn.networkType === 'geneve' ? 'geneve' : ''],
    none: [],
  }[plugin]
  return [
    { module: 'overlay', user: kubernetes.containerRuntime.type },
    { module: 'br_netfilter', user: 'Kubernetes' },
    { module: 'nf_conntrack', user: 'kube-proxy' },
    ...transport.filter((module) => module !== '').map((module) => ({ module, user: plugin })),
    ...system.modules.map((module) => ({ module, user: 'system.modules' })),
  ]
}

/** A directory of a role and the free space it should have, in MiB. */
export interface SpaceNeed {
  readonly path: string
  readonly mib: number
}

/** What has to fit on the disks of a host, by its roles. */
export function spaceOf({ etcd, kubernetes, registry }: ClusterSpec, host: Pick<ClusterHost, 'roles'>): readonly SpaceNeed[] {
  const { containerd, docker, crio, isulad, type } = kubernetes.containerRuntime
  const images = { containerd: containerd.root, docker: docker.dataRoot, 'cri-o': crio.root, isulad: isulad['data-root'] }[type]
  const rows: readonly (SpaceNeed & { readonly on: Who })[] = [
    { on: 'node', path: images, mib: 5120 },
    { on: 'node', path: '/var/lib/kubelet', mib: 1024 },
    { on: 'etcd', path: etcd.dataDir, mib: Math.max(1024, Math.ceil(etcd.quotaBackendBytes / 1024 ** 2)) },
    { on: 'registry', path: registry.registryDataDir, mib: 10_240 },
  ]
  return [{ path: '/', mib: 1024 }, ...rows.filter(({ on }) => isOne(host, on)).map(({ path, mib }) => ({ path, mib }))]
}
