import { describe, expect, it } from 'vitest'
import { configText } from '../../../test/support/config-text.ts'
import { parseCluster } from '../parse.ts'

const host = (n: number, more: object = {}) => ({ name: `node${n}`, address: `172.16.0.${n + 1}`, ...more })
const hosts = (...more: object[]) => [1, 2, 3, 4, 5].map((n) => host(n, more[n - 1]))
const found = (edits: Record<string, unknown>) => {
  const { errors, warnings } = parseCluster(configText(edits), 'c.yaml')
  const tell = ({ code, path }: (typeof errors)[number]) => `${code} ${path}`
  return { errors: errors.map(tell), warnings: warnings.map(tell) }
}

const endpoint = 'spec.controlPlaneEndpoint'
const roleGroups = 'spec.roleGroups'

describe('errors between fields', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'a repeated name',
      { 'spec.hosts': [...hosts(), { name: 'node1', address: '172.16.0.99' }] },
      'KX_CONFIG_HOST_DUPLICATE spec.hosts[5].name',
    ],
    [
      'a repeated address',
      { 'spec.hosts': [...hosts(), { name: 'node6', address: '172.16.0.2' }] },
      'KX_CONFIG_HOST_DUPLICATE spec.hosts[5].address',
    ],
    ['a role for no host', { [`${roleGroups}.worker`]: ['node[4:6]'] }, 'KX_CONFIG_NO_SUCH_HOST spec.roleGroups.worker[0]'],
    ['a range that counts down', { [`${roleGroups}.worker`]: ['node[5:4]'] }, 'KX_CONFIG_HOST_RANGE spec.roleGroups.worker[0]'],
    ['no master', { [roleGroups]: { worker: ['node1'] } }, 'KX_CONFIG_NO_MASTER spec.roleGroups.master'],
    ['several masters and no load balancer', { [endpoint]: {} }, 'KX_CONFIG_LB_NEEDED spec.controlPlaneEndpoint.internalLoadbalancer'],
    [
      'kubexm-kh without hosts for it',
      { [endpoint]: { externalLoadBalancer: 'kubexm-kh', lb_address: '172.16.0.99' } },
      'KX_CONFIG_LB_HOSTS spec.controlPlaneEndpoint.externalLoadBalancer',
    ],
    [
      'external with hosts for it',
      { [endpoint]: { externalLoadBalancer: 'external', lb_address: '10.9.9.9' }, [`${roleGroups}.loadbalancer`]: ['node5'] },
      'KX_CONFIG_LB_HOSTS spec.roleGroups.loadbalancer',
    ],
    [
      'external without an address',
      { [endpoint]: { externalLoadBalancer: 'external' } },
      'KX_CONFIG_VIP spec.controlPlaneEndpoint.lb_address',
    ],
    [
      'kube-vip without an address',
      { [endpoint]: { internalLoadbalancer: 'kube-vip' } },
      'KX_CONFIG_VIP spec.controlPlaneEndpoint.lb_address',
    ],
    [
      'keepalived without an address',
      { [endpoint]: { externalLoadBalancer: 'kubexm-kn' }, [`${roleGroups}.loadbalancer`]: ['node5'] },
      'KX_CONFIG_VIP spec.controlPlaneEndpoint.lb_address',
    ],
    [
      'a virtual address that is taken',
      { [endpoint]: { internalLoadbalancer: 'kube-vip', lb_address: '172.16.0.2' } },
      'KX_CONFIG_VIP spec.controlPlaneEndpoint.lb_address',
    ],
    [
      'a virtual address of another network',
      { [endpoint]: { internalLoadbalancer: 'kube-vip', lb_address: '10.9.9.9' } },
      'KX_CONFIG_VIP spec.controlPlaneEndpoint.lb_address',
    ],
    [
      'kube-vip by BGP without a peer',
      {
        [endpoint]: { internalLoadbalancer: 'kube-vip', lb_address: '10.99.0.1', kubevip: { mode: 'BGP' } },
        'spec.kubernetes.proxyMode': 'iptables',
      },
      'KX_CONFIG_MISSING spec.controlPlaneEndpoint.kubevip.bgpConfig',
    ],
    [
      'externalDNS with an address',
      { [endpoint]: { externalLoadBalancer: 'external', externalDNS: true, lb_address: '10.9.9.9' } },
      'KX_CONFIG_VIP spec.controlPlaneEndpoint.lb_address',
    ],
    [
      'etcd by kubeadm in a binary cluster',
      { 'spec.etcd.type': 'kubeadm', 'spec.kubernetes.type': 'kubexm' },
      'KX_CONFIG_ETCD_KUBEADM spec.etcd.type',
    ],
    [
      'external etcd with an etcd role',
      { 'spec.etcd': { type: 'external', external: { endpoints: ['http://10.0.0.1:2379'] } }, [`${roleGroups}.etcd`]: ['node1'] },
      'KX_CONFIG_ETCD_ROLE spec.roleGroups.etcd',
    ],
    [
      'etcd by kubeadm off the masters',
      { 'spec.etcd.type': 'kubeadm', [`${roleGroups}.etcd`]: ['node5'] },
      'KX_CONFIG_ETCD_ROLE spec.roleGroups.etcd',
    ],
    [
      'another port for the etcd of kubeadm',
      { 'spec.etcd': { type: 'kubeadm', clientPort: 12379 } },
      'KX_CONFIG_ETCD_PORT spec.etcd.clientPort',
    ],
    ['external etcd without endpoints', { 'spec.etcd.type': 'external' }, 'KX_CONFIG_ETCD_EXTERNAL spec.etcd.external'],
    [
      'external etcd with TLS and no CA',
      { 'spec.etcd': { type: 'external', external: { endpoints: ['https://10.0.0.1:2379'] } } },
      'KX_CONFIG_ETCD_EXTERNAL spec.etcd.external',
    ],
    ['an election shorter than five heartbeats', { 'spec.etcd.electionTimeout': 400 }, 'KX_CONFIG_ETCD_TIMING spec.etcd.electionTimeout'],
    ['pods over services', { 'spec.network.kubePodsCIDR': '10.233.0.0/16' }, 'KX_CONFIG_CIDR_OVERLAP spec.network.kubeServiceCIDR'],
    ['pods over hosts', { 'spec.network.kubePodsCIDR': '172.16.0.0/12' }, 'KX_CONFIG_CIDR_OVERLAP spec.network.kubePodsCIDR'],
    [
      'services over the virtual address',
      { [endpoint]: { externalLoadBalancer: 'external', lb_address: '10.233.1.1' } },
      'KX_CONFIG_CIDR_OVERLAP spec.network.kubeServiceCIDR',
    ],
    [
      'a pod range too small for the nodes',
      { 'spec.network.kubePodsCIDR': '10.233.64.0/22' },
      'KX_CONFIG_CIDR_SMALL spec.network.kubePodsCIDR',
    ],
    [
      'a node mask outside the pod range',
      { 'spec.kubernetes.nodeCidrMaskSize': 16 },
      'KX_CONFIG_CIDR_MASK spec.kubernetes.nodeCidrMaskSize',
    ],
    [
      'pods dual stack, services not',
      { 'spec.network.kubePodsCIDR': '10.233.64.0/18,fd00::/112' },
      'KX_CONFIG_DUAL_STACK spec.network.kubeServiceCIDR',
    ],
    [
      'two ranges of one family',
      { 'spec.network.kubePodsCIDR': '10.233.64.0/18,10.234.0.0/18' },
      'KX_CONFIG_DUAL_STACK spec.network.kubePodsCIDR',
    ],
    [
      'dual stack and a host without IPv6',
      {
        'spec.hosts': hosts().map((one, i) => (i === 0 ? one : { ...one, internalAddress: `10.0.0.${i},fd02::${i}` })),
        'spec.network': { kubePodsCIDR: '10.233.64.0/18,fd00::/112', kubeServiceCIDR: '10.233.0.0/18,fd01::/112' },
      },
      'KX_CONFIG_DUAL_STACK spec.hosts[0].internalAddress',
    ],
    [
      'IPIP and VXLAN',
      { 'spec.network': { plugin: 'calico', calico: { vxlanMode: 'Always' } } },
      'KX_CONFIG_CALICO_MODE spec.network.calico.vxlanMode',
    ],
    [
      'a pool outside the pod range',
      { 'spec.network': { plugin: 'calico', calico: { ipam: { pools: [{ name: 'a', cidr: '10.1.0.0/16' }] } } } },
      'KX_CONFIG_CNI spec.network.calico.ipam.pools[0].cidr',
    ],
    [
      'Cilium and kube-proxy for the same work',
      { 'spec.network': { plugin: 'cilium', cilium: { kubeProxy: { replacement: true } } }, 'spec.kubernetes.proxyMode': 'ipvs' },
      'KX_CONFIG_CNI spec.kubernetes.proxyMode',
    ],
    ['no kube-proxy and nothing in its place', { 'spec.kubernetes.proxyMode': 'none' }, 'KX_CONFIG_CNI spec.kubernetes.proxyMode'],
    ['a version too old', { 'spec.kubernetes.version': 'v1.20.1' }, 'KX_CONFIG_VERSION spec.kubernetes.version'],
    [
      'a containerd too old',
      { 'spec.kubernetes.containerRuntime': { type: 'containerd', version: '1.5.9' } },
      'KX_CONFIG_RUNTIME_VERSION spec.kubernetes.containerRuntime.version',
    ],
    [
      'containerd 1 for Kubernetes 1.36',
      { 'spec.kubernetes': { version: 'v1.36.1', containerRuntime: { version: '1.7.28' } } },
      'KX_CONFIG_RUNTIME_VERSION spec.kubernetes.containerRuntime.version',
    ],
    [
      'two versions of one runtime',
      { 'spec.kubernetes.containerRuntime': { version: '1.7.6', containerd: { version: '2.1.4' } } },
      'KX_CONFIG_CONFLICT spec.kubernetes.containerRuntime.containerd.version',
    ],
    [
      'nftables before its time',
      { 'spec.kubernetes': { version: 'v1.28.1', proxyMode: 'nftables' } },
      'KX_CONFIG_CNI spec.kubernetes.proxyMode',
    ],
    ['a time server that is no host', { 'spec.system.ntpServers': ['nod1'] }, 'KX_CONFIG_NTP spec.system.ntpServers[0]'],
    ['a label with a bad key', { 'spec.hosts': hosts({ labels: { 'a b': 'c' } }) }, 'KX_CONFIG_LABEL spec.hosts[0].labels."a b"'],
    ['a label with a bad value', { 'spec.hosts': hosts({ labels: { a: 'b c' } }) }, 'KX_CONFIG_LABEL spec.hosts[0].labels.a'],
    [
      'a taint with a bad key',
      { 'spec.hosts': hosts({ taints: [{ key: '-x', effect: 'NoSchedule' }] }) },
      'KX_CONFIG_LABEL spec.hosts[0].taints[0].key',
    ],
    ['a registry without a host', { 'spec.registry.type': 'harbor' }, 'KX_CONFIG_REGISTRY spec.registry.type'],
    ['two registry hosts', { [`${roleGroups}.registry`]: ['node4', 'node5'] }, 'KX_CONFIG_REGISTRY spec.roleGroups.registry'],
    ['an external registry without a name', { 'spec.registry.type': 'external' }, 'KX_CONFIG_REGISTRY spec.registry.privateRegistry'],
    ['an addon nobody knows', { 'spec.addons': ['metalb'] }, 'KX_CONFIG_ADDON spec.addons[0]'],
    ['a chart without a chart', { 'spec.addons': [{ name: 'x', type: 'helm' }] }, 'KX_CONFIG_ADDON spec.addons[0]'],
    ['an addon twice', { 'spec.addons': ['metallb', 'metallb'] }, 'KX_CONFIG_ADDON spec.addons[1]'],
  ])('%s', (_, edits, expected) => expect(found(edits).errors).toEqual([expected]))
})

describe('warnings', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['a host without a role', { 'spec.hosts': [...hosts(), host(6)] }, 'KX_CONFIG_HOST_NO_ROLE spec.hosts[5].name'],
    ['a role twice', { [`${roleGroups}.worker`]: ['node[4:5]', 'node5'] }, 'KX_CONFIG_ROLE_TWICE spec.roleGroups.worker[1]'],
    [
      'another version for the etcd of kubeadm',
      { 'spec.etcd': { type: 'kubeadm', version: 'v3.5.12' } },
      'KX_CONFIG_UNUSED spec.etcd.version',
    ],
    [
      'patches for kubeadm where there is none',
      { 'spec.kubernetes.type': 'kubexm', 'spec.kubernetes.kubeadm': { patches: [{ target: 'etcd', patch: {} }] } },
      'KX_CONFIG_UNUSED spec.kubernetes.kubeadm',
    ],
    ['an even number of members', { [`${roleGroups}.etcd`]: ['node1', 'node2'] }, 'KX_CONFIG_ETCD_EVEN spec.roleGroups.etcd'],
    [
      'a literal password',
      { 'spec.hosts': hosts({ password: 'x' }, { password: 'y' }) },
      'KX_CONFIG_LITERAL_SECRET spec.hosts[0].password',
    ],
    ['a placeholder for a password', { 'spec.hosts': hosts({ password: '***' }) }, 'KX_CONFIG_PLACEHOLDER spec.hosts[0].password'],
    [
      'a repeated internal address',
      { 'spec.hosts': hosts({ internalAddress: '10.0.0.1' }, { internalAddress: '10.0.0.1' }) },
      'KX_CONFIG_INTERNAL_ADDRESS spec.hosts[1].internalAddress',
    ],
    [
      'a gate the version no longer knows',
      { 'spec.kubernetes.featureGates': { TTLAfterFinished: true } },
      'KX_CONFIG_FEATURE_GATE spec.kubernetes.featureGates.TTLAfterFinished',
    ],
    [
      'a gate nobody knows, of one component',
      { 'spec.kubernetes.kubelet': { featureGates: { SidecarContainer: true } } },
      'KX_CONFIG_FEATURE_GATE spec.kubernetes.kubelet.featureGates.SidecarContainer',
    ],
    ['a version newer than any tested', { 'spec.kubernetes.version': 'v1.39.0' }, 'KX_CONFIG_VERSION_UNTESTED spec.kubernetes.version'],
    [
      'a CRI-O of another minor version',
      { 'spec.kubernetes.containerRuntime': { type: 'cri-o', version: '1.30.0' } },
      'KX_CONFIG_RUNTIME_SKEW spec.kubernetes.containerRuntime.version',
    ],
    ['bits behind the prefix', { 'spec.network.kubePodsCIDR': '10.233.64.1/18' }, 'KX_CONFIG_HOST_BITS spec.network.kubePodsCIDR'],
    ['load balancer hosts nobody uses', { [`${roleGroups}.loadbalancer`]: ['node5'] }, 'KX_CONFIG_UNUSED spec.roleGroups.loadbalancer'],
    [
      'settings of another plugin',
      { 'spec.network.calico': { ipipMode: 'Never', vxlanMode: 'Always' } },
      'KX_CONFIG_UNUSED spec.network.calico',
    ],
    [
      'an external etcd that is not chosen',
      { 'spec.etcd.external': { endpoints: ['http://10.0.0.1:2379'] } },
      'KX_CONFIG_UNUSED spec.etcd.external',
    ],
    [
      'kube-vip under ipvs',
      { [endpoint]: { internalLoadbalancer: 'kube-vip', lb_address: '172.16.0.99' } },
      'KX_CONFIG_IPVS_KUBE_VIP spec.controlPlaneEndpoint.lb_address',
    ],
    ['another spelling', { 'spec.network.podCidr': '10.233.64.0/18' }, 'KX_CONFIG_SPELLING spec.network.podCidr'],
  ])('%s', (_, edits, expected) => expect(found(edits)).toEqual({ errors: [], warnings: [expected] }))
})

const bgp = { peerAddress: '10.0.0.254', peerASN: 65000, asn: 65001 }

describe('what is legal', () => {
  it.each<[string, Record<string, unknown>]>([
    ['one master without a load balancer', { [roleGroups]: { master: ['node1'], worker: ['node[2:5]'] }, [endpoint]: {} }],
    [
      'external and internal load balancer together',
      {
        [endpoint]: { externalLoadBalancer: 'kubexm-kh', internalLoadbalancer: 'nginx', lb_address: '172.16.0.99' },
        [`${roleGroups}.loadbalancer`]: ['node5'],
      },
    ],
    ['kubeadm with etcd by kubexm', { 'spec.kubernetes.type': 'kubeadm', 'spec.etcd.type': 'kubexm' }],
    ['your load balancer known to your DNS', { [endpoint]: { externalLoadBalancer: 'external', externalDNS: true } }],
    [
      'kube-vip by BGP with an address from anywhere',
      {
        [endpoint]: { internalLoadbalancer: 'kube-vip', lb_address: '10.99.0.1', kubevip: { mode: 'BGP', bgpConfig: bgp } },
        'spec.kubernetes.proxyMode': 'iptables',
      },
    ],
    [
      'IPv6 only',
      {
        'spec.hosts': hosts().map((one, i) => ({ ...one, address: `fd02::${i + 1}` })),
        'spec.network': { kubePodsCIDR: 'fd00::/64', kubeServiceCIDR: 'fd01::/112' },
      },
    ],
    ['VXLAN instead of IPIP', { 'spec.network': { plugin: 'calico', calico: { ipipMode: 'Never', vxlanMode: 'CrossSubnet' } } }],
    ['a host of the cluster as time server', { 'spec.system.ntpServers': ['node1', 'ntp.aliyun.com', '10.0.0.1'] }],
  ])('%s', (_, edits) => expect(found(edits)).toEqual({ errors: [], warnings: [] }))
})

it('draws no conclusions from what is already wrong', () => {
  const { errors } = found({
    'spec.hosts': hosts({ address: '' }),
    'spec.kubernetes.version': 'newest',
    'spec.kubernetes.featureGates': { TTLAfterFinished: true },
  })
  expect(errors).toEqual(['KX_CONFIG_FORMAT spec.hosts[0].address', 'KX_CONFIG_FORMAT spec.kubernetes.version'])
  expect(found({ [endpoint]: 'haproxy' }).errors).toEqual(['KX_CONFIG_TYPE spec.controlPlaneEndpoint'])
})
