import type { ClusterChoice } from '../../src/lab/index.ts'
import type { Beside } from './beside.ts'
import type { ExpectedNode } from './cluster-proof.ts'
import type { Special } from './special-proofs.ts'

/** One combination that must give a working cluster. */
export interface ClusterCase {
  readonly name: string
  readonly hosts: number
  readonly choice: ClusterChoice & { readonly version: string; readonly masters: number }
  /** What users have of their own, on the last host, which is not of the cluster. */
  readonly beside?: Beside
  /** What it has to show besides what all have. */
  readonly shows?: readonly Special[]
  /** Without a network plugin nodes are there, but nothing can run on them yet. */
  readonly network?: 'none'
}

const virtualAddress = '10.77.0.241'
const runtime = (version: string) => ({ containerRuntime: { type: 'containerd', version } })
const oneEtcd = { roleGroups: { etcd: ['node1'] } }
const stacked = { etcd: { type: 'kubeadm' }, roleGroups: { etcd: [] } }
const flannel = (type: string) => ({ network: { flannel: { backend: { type } } } })
const balancer = (endpoint: object) => ({ controlPlaneEndpoint: endpoint })
const withVip = (kind: object) => balancer({ internalLoadbalancer: '', ...kind, lb_address: virtualAddress })

const registryOn = (host: string, workers: readonly string[]) => ({
  roleGroups: { etcd: ['node1'], worker: workers, registry: [host] },
  // Else images outlive the cluster.
  registry: { deleteDataOnClean: true },
})
const bothFamilies = {
  network: {
    kubePodsCIDR: '10.233.64.0/18,fd85:ee78:d8a6:8607::1:0000/112',
    kubeServiceCIDR: '10.233.0.0/18,fd85:ee78:d8a6:8607::1000/116',
  },
}
/** Everything kubexm can put on a host, on one. The load balancer has the port of the endpoint, the API server keeps its own. */
const allRoles = {
  roleGroups: Object.fromEntries(['etcd', 'master', 'worker', 'registry', 'loadbalancer'].map((role) => [role, ['node1']])),
  registry: { deleteDataOnClean: true },
  ...withVip({ externalLoadBalancer: 'kubexm-kh', port: 8443 }),
}

const kubeadm = (version: string, masters: number, spec: object, more: Partial<ClusterChoice> = {}) =>
  ({ type: 'kubeadm', version, masters, spec: spec as ClusterChoice['spec'] & object, ...more }) as const
const binary = (version: string, masters: number, spec: object, more: Partial<ClusterChoice> = {}) =>
  ({ type: 'kubexm', version, masters, spec: spec as ClusterChoice['spec'] & object, ...more }) as const

/** A few that every run of the tests tries: both types, both runtimes, both minors, one and three masters. */
export const everyRun: readonly ClusterCase[] = [
  { name: 'kubeadm, etcd stacked, flannel vxlan, iptables, containerd 2', hosts: 3, choice: kubeadm('v1.34.4', 1, stacked) },
  {
    name: 'binaries, one etcd, flannel host-gw, nftables, containerd 1.7',
    hosts: 2,
    choice: binary('v1.33.4', 1, {
      ...oneEtcd,
      ...flannel('host-gw'),
      kubernetes: { proxyMode: 'nftables', ...runtime('1.7.28') },
    }),
  },
  {
    name: 'binaries, three masters, three etcd, haproxy on workers',
    hosts: 4,
    choice: binary('v1.34.4', 3, balancer({ internalLoadbalancer: 'haproxy' })),
  },
]

/** The rest of the combinations. */
export const matrix: readonly ClusterCase[] = [
  { name: 'kubeadm, one etcd of kubexm', hosts: 2, choice: kubeadm('v1.33.4', 1, oneEtcd) },
  {
    name: 'kubeadm, three etcd of kubexm on three masters, nginx on workers',
    hosts: 4,
    choice: kubeadm('v1.34.4', 3, balancer({ internalLoadbalancer: 'nginx' })),
  },
  {
    name: 'kubeadm, three masters, etcd stacked, haproxy on workers',
    hosts: 4,
    choice: kubeadm('v1.33.4', 3, { ...stacked, ...balancer({ internalLoadbalancer: 'haproxy' }) }),
  },
  {
    name: 'binaries, two masters behind keepalived and haproxy',
    hosts: 5,
    choice: binary(
      'v1.34.4',
      2,
      { roleGroups: { etcd: ['node1', 'node2', 'node3'] }, ...withVip({ externalLoadBalancer: 'kubexm-kh' }) },
      { loadBalancers: 2 },
    ),
  },
  {
    name: 'kubeadm, two masters behind keepalived and nginx',
    hosts: 5,
    choice: kubeadm(
      'v1.34.4',
      2,
      { roleGroups: { etcd: ['node1', 'node2', 'node3'] }, ...withVip({ externalLoadBalancer: 'kubexm-kn' }) },
      { loadBalancers: 2 },
    ),
  },
  {
    name: 'kubeadm, three masters, kube-vip',
    hosts: 4,
    choice: kubeadm('v1.34.4', 3, withVip({ internalLoadbalancer: 'kube-vip' })),
  },
  {
    name: 'binaries, three masters, kube-vip',
    hosts: 4,
    choice: binary('v1.33.4', 3, withVip({ internalLoadbalancer: 'kube-vip' })),
  },
  {
    name: 'binaries, three masters, nginx on workers, nftables',
    hosts: 4,
    choice: binary('v1.34.4', 3, { ...balancer({ internalLoadbalancer: 'nginx' }), kubernetes: { proxyMode: 'nftables' } }),
  },
  { name: 'kubeadm 1.30, three masters', hosts: 3, choice: kubeadm('v1.30.14', 3, stacked) },
  { name: 'binaries 1.32', hosts: 2, choice: binary('v1.32.4', 1, oneEtcd) },
  {
    name: "kubeadm, the user's own etcd",
    hosts: 4,
    choice: kubeadm('v1.34.4', 1, {}, { outside: 1 }),
    beside: 'etcd',
  },
  {
    name: "binaries, the user's own etcd",
    hosts: 4,
    choice: binary('v1.33.4', 1, {}, { outside: 1 }),
    beside: 'etcd',
  },
  {
    name: 'kubeadm, registry of the cluster',
    hosts: 4,
    choice: kubeadm('v1.34.4', 1, registryOn('node4', ['node2', 'node3'])),
    shows: ['own registry'],
  },
  {
    name: 'binaries, registry of the cluster',
    hosts: 3,
    choice: binary('v1.33.4', 1, registryOn('node3', ['node2'])),
    shows: ['own registry'],
  },
  {
    name: 'dual stack, kubeadm, vxlan',
    hosts: 3,
    choice: kubeadm('v1.34.4', 1, { ...oneEtcd, ...bothFamilies }),
    shows: ['both families'],
  },
  {
    name: 'dual stack, binaries, vxlan, nftables',
    hosts: 3,
    choice: binary('v1.33.4', 1, { ...oneEtcd, ...bothFamilies, kubernetes: { proxyMode: 'nftables' } }),
    shows: ['both families'],
  },
  {
    name: 'no network plugin, kubeadm',
    hosts: 2,
    choice: kubeadm('v1.34.4', 1, { ...oneEtcd, network: { plugin: 'none' } }),
    network: 'none',
  },
  {
    name: 'no network plugin, binaries',
    hosts: 2,
    choice: binary('v1.33.4', 1, { ...oneEtcd, network: { plugin: 'none' } }),
    network: 'none',
  },
  {
    name: "two masters behind the user's own load balancer, kubeadm",
    hosts: 4,
    choice: kubeadm('v1.33.4', 2, { roleGroups: { etcd: ['node1', 'node2', 'node3'] } }, { outside: 1 }),
    beside: 'balancer',
  },
  {
    name: "two masters behind the user's own load balancer, binaries",
    hosts: 4,
    choice: binary('v1.34.4', 2, { roleGroups: { etcd: ['node1', 'node2', 'node3'] } }, { outside: 1 }),
    beside: 'balancer',
  },
  { name: 'one host with all roles, kubeadm', hosts: 1, choice: kubeadm('v1.34.4', 1, allRoles) },
  { name: 'one host with all roles, binaries', hosts: 1, choice: binary('v1.33.4', 1, allRoles) },
  { name: 'three masters that are workers, kubeadm', hosts: 3, choice: kubeadm('v1.34.4', 3, stacked) },
  { name: 'three masters that are workers, binaries', hosts: 3, choice: binary('v1.33.4', 3, {}) },
  { name: 'kubeadm 1.37, three masters', hosts: 3, choice: kubeadm('v1.37.1', 3, stacked) },
  { name: 'binaries 1.37', hosts: 2, choice: binary('v1.37.1', 1, oneEtcd) },
]

/** The hosts that belong to the cluster of a case. */
export const clusterHosts = ({ hosts, choice }: ClusterCase): readonly string[] =>
  Array.from({ length: hosts - (choice.outside ?? 0) }, (_, i) => `node${i + 1}`)

/** What the nodes of a case have to look like. */
export function expectedNodes(one: ClusterCase): readonly ExpectedNode[] {
  const { masters, loadBalancers = 0, spec } = one.choice
  const { roleGroups } = (spec ?? {}) as { readonly roleGroups?: Readonly<Record<string, readonly string[]>> }
  const hosts = clusterHosts(one)
  const nodes = hosts.slice(0, hosts.length - loadBalancers)
  const workers = nodes.slice(masters)
  const isWorker = (name: string): boolean => (roleGroups?.worker ?? (workers.length > 0 ? workers : nodes)).includes(name)
  return nodes.flatMap((name, i) => {
    const roles = [...(i < masters ? (['control-plane'] as const) : []), ...(isWorker(name) ? (['worker'] as const) : [])]
    return roles.length === 0 ? [] : [{ name, roles }]
  })
}
