import type { ClusterChoice } from '../../src/lab/index.ts'
import type { ExpectedNode } from './cluster-proof.ts'

/** One combination that must give a working cluster. */
export interface ClusterCase {
  readonly name: string
  readonly hosts: number
  readonly choice: ClusterChoice & { readonly version: string; readonly masters: number }
  readonly containerd?: string
  /** An address that must answer when the first master is gone. */
  readonly survivesAt?: string
}

const virtualAddress = '10.77.0.241'
const runtime = (version: string) => ({ containerRuntime: { type: 'containerd', version } })
const oneEtcd = { roleGroups: { etcd: ['node1'] } }
const stacked = { etcd: { type: 'kubeadm' }, roleGroups: { etcd: [] } }
const flannel = (type: string) => ({ network: { flannel: { backend: { type } } } })
const balancer = (endpoint: object) => ({ controlPlaneEndpoint: endpoint })
const withVip = (kind: object) => balancer({ internalLoadbalancer: '', ...kind, lb_address: virtualAddress })

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
    survivesAt: virtualAddress,
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
    survivesAt: virtualAddress,
  },
  {
    name: 'kubeadm, three masters, kube-vip',
    hosts: 4,
    choice: kubeadm('v1.34.4', 3, withVip({ internalLoadbalancer: 'kube-vip' })),
    survivesAt: virtualAddress,
  },
  {
    name: 'binaries, three masters, kube-vip',
    hosts: 4,
    choice: binary('v1.33.4', 3, withVip({ internalLoadbalancer: 'kube-vip' })),
    survivesAt: virtualAddress,
  },
  {
    name: 'binaries, three masters, nginx on workers, nftables',
    hosts: 4,
    choice: binary('v1.34.4', 3, { ...balancer({ internalLoadbalancer: 'nginx' }), kubernetes: { proxyMode: 'nftables' } }),
  },
  { name: 'kubeadm 1.30', hosts: 2, choice: kubeadm('v1.30.14', 1, stacked) },
  { name: 'binaries 1.32', hosts: 2, choice: binary('v1.32.4', 1, oneEtcd) },
  { name: 'kubeadm 1.37', hosts: 2, choice: kubeadm('v1.37.1', 1, stacked) },
  { name: 'binaries 1.37', hosts: 2, choice: binary('v1.37.1', 1, oneEtcd) },
]

/** What the nodes of a case have to look like. */
export function expectedNodes({ hosts, choice }: ClusterCase): readonly ExpectedNode[] {
  const nodes = hosts - (choice.loadBalancers ?? 0)
  return Array.from({ length: nodes }, (_, i) => ({
    name: `node${i + 1}`,
    roles: i < choice.masters ? (['control-plane'] as const) : (['worker'] as const),
  }))
}
