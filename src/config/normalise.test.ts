import { describe, expect, it } from 'vitest'
import { configText } from '../../test/support/config-text.ts'
import { type Cluster, hostsOf, rolesOf } from './cluster.ts'
import { parseCluster } from './parse.ts'

const read = (edits: Record<string, unknown>): { cluster: Cluster; codes: readonly string[] } => {
  const { cluster, errors, warnings } = parseCluster(configText(edits), 'c.yaml')
  if (cluster === null) throw new Error(errors.map(({ path, problem }) => `${path}: ${problem}`).join('\n'))
  return { cluster, codes: warnings.map(({ code }) => code) }
}

describe('other spellings', () => {
  it.each<[string, Record<string, unknown>, (cluster: Cluster) => unknown, unknown]>([
    [
      'loadBalancer of mode external',
      {
        'spec.controlPlaneEndpoint': undefined,
        'spec.loadBalancer': { mode: 'external', vip: '172.16.0.99', external: { type: 'kubexm-kn' } },
        'spec.roleGroups.loadbalancer': ['node5'],
      },
      ({ spec }) => [spec.controlPlaneEndpoint.externalLoadBalancer, spec.controlPlaneEndpoint.lb_address],
      ['kubexm-kn', '172.16.0.99'],
    ],
    [
      'loadBalancer of mode internal',
      {
        'spec.controlPlaneEndpoint': undefined,
        'spec.loadBalancer': { mode: 'internal', external: { type: 'kubexm-kn' }, internal: { type: 'nginx' } },
      },
      ({ spec }) => [spec.controlPlaneEndpoint.externalLoadBalancer, spec.controlPlaneEndpoint.internalLoadbalancer],
      ['', 'nginx'],
    ],
    [
      'internalLoadBalancer',
      { 'spec.controlPlaneEndpoint': { internalLoadBalancer: 'nginx' } },
      ({ spec }) => spec.controlPlaneEndpoint.internalLoadbalancer,
      'nginx',
    ],
    [
      'kube-vip as an external one',
      {
        'spec.controlPlaneEndpoint': { externalLoadBalancer: 'kube-vip', address: '172.16.0.99' },
        'spec.kubernetes.proxyMode': 'iptables',
      },
      ({ spec }) => spec.controlPlaneEndpoint,
      expect.objectContaining({ internalLoadbalancer: 'kube-vip', lb_address: '172.16.0.99' }),
    ],
    ['runtime.type isula', { 'spec.runtime': { type: 'isula' } }, ({ spec }) => spec.kubernetes.containerRuntime.type, 'isulad'],
    ['etcd.nodes', { 'spec.etcd.nodes': ['node[3:5]'] }, (cluster) => rolesOf(cluster).etcd, ['node3', 'node4', 'node5']],
    [
      'etcd.performance',
      { 'spec.etcd.performance': { heartbeatIntervalMillis: 100, maxWals: 9 } },
      ({ spec }) => [spec.etcd.heartbeatInterval, spec.etcd.maxWals],
      [100, 9],
    ],
    ['kubelet.maxPods', { 'spec.kubernetes.kubelet': { maxPods: 200 } }, ({ spec }) => spec.kubernetes.maxPods, 200],
    [
      'kubeletArgs',
      { 'spec.kubernetes.kubeletArgs': ['--root-dir=/data/kubelet', '--v=4'] },
      ({ spec }) => spec.kubernetes.kubelet.extraArgs,
      { 'root-dir': '/data/kubelet', v: '4' },
    ],
    [
      'registry.local and mirroring',
      {
        'spec.registry': { local: { type: 'docker-registry' }, mirroring: { privateRegistry: 'r.example.com' } },
        'spec.roleGroups.registry': ['node5'],
      },
      ({ spec }) => [spec.registry.type, spec.registry.privateRegistry],
      ['registry', 'r.example.com'],
    ],
    [
      'extra.hosts with several names',
      { 'spec.extra.hosts': [{ ip: '10.0.0.9', hostnames: ['a.example.com', 'b.example.com'] }] },
      ({ spec }) => spec.extra.hosts,
      [
        { domain: 'a.example.com', address: '10.0.0.9' },
        { domain: 'b.example.com', address: '10.0.0.9' },
      ],
    ],
    [
      'extra.resolves with name servers',
      { 'spec.extra.resolves': { nameservers: ['10.0.0.53'], searches: ['example.com'] } },
      ({ spec }) => [spec.extra.resolves, spec.extra.searches],
      [[{ address: '10.0.0.53' }], ['example.com']],
    ],
    ['host lines', { 'spec.host': '10.0.0.9 a.example.com b.example.com\n' }, ({ spec }) => spec.extra.hosts.length, 2],
    [
      'addon sources',
      { 'spec.addons': [{ name: 'x', sources: [{ namespace: 'n', yaml: { path: ['a.yaml'] } }, { chart: { path: './c' } }] }] },
      ({ spec }) => spec.addons.map(({ name, type, namespace }) => [name, type, namespace]),
      [
        ['x', 'yaml', 'n'],
        ['x-2', 'helm', 'x-2'],
      ],
    ],
    ['the other apiVersion', { apiVersion: 'kubexms.io/v1alpha1' }, ({ apiVersion }) => apiVersion, 'kubexm.mensylisir.io/v1alpha1'],
  ])('%s, with a notice', (_, edits, pick, expected) => {
    const { cluster, codes } = read(edits)
    expect(pick(cluster)).toEqual(expected)
    expect(codes).toContain('KX_CONFIG_SPELLING')
  })

  it('refuses two spellings that disagree', () => {
    const { errors } = parseCluster(configText({ 'spec.network': { podCidr: '10.1.0.0/16', kubePodsCIDR: '10.2.0.0/16' } }), 'c.yaml')
    expect(errors.map(({ code, path }) => [code, path])).toEqual([['KX_CONFIG_CONFLICT', 'spec.network.podCidr']])
  })

  it('shows an error in the words and at the place the user wrote', () => {
    const { errors } = parseCluster(configText({ 'spec.network.podCidr': 'ten' }), 'c.yaml')
    expect(errors.map(({ code, path, seen }) => [code, path, seen])).toEqual([['KX_CONFIG_FORMAT', 'spec.network.podCidr', 'ten']])
  })
})

describe('defaults from other fields', () => {
  it.each<[string, Record<string, unknown>, (cluster: Cluster) => unknown, unknown]>([
    ['etcd runs on the masters', {}, (cluster) => rolesOf(cluster).etcd, ['node1', 'node2', 'node3']],
    [
      'external etcd runs nowhere',
      { 'spec.etcd': { type: 'external', external: { endpoints: ['http://10.0.0.1:2379'] } } },
      (cluster) => rolesOf(cluster).etcd,
      [],
    ],
    [
      'a registry host means a registry',
      { 'spec.roleGroups.registry': ['node5'] },
      ({ spec }) => [spec.registry.type, spec.registry.privateRegistry],
      ['registry', 'dockerhub.kubexm.local'],
    ],
    ['no registry host means none', {}, ({ spec }) => [spec.registry.type, spec.registry.privateRegistry], ['none', '']],
    [
      'the domain follows the cluster name',
      { 'spec.kubernetes.clusterName': 'prod.local' },
      ({ spec }) => spec.kubernetes.dnsDomain,
      'prod.local',
    ],
    [
      'etcd fits Kubernetes',
      { 'spec.kubernetes.version': '1.34.4' },
      ({ spec }) => [spec.kubernetes.version, spec.etcd.version],
      ['v1.34.4', 'v3.6.5'],
    ],
    [
      'the runtime fits Kubernetes',
      { 'spec.kubernetes.containerRuntime': { type: 'crio' } },
      ({ spec }) => spec.kubernetes.containerRuntime.version,
      '1.32.0',
    ],
    [
      'Cilium that replaces kube-proxy leaves it out',
      { 'spec.network': { plugin: 'cilium', cilium: { kubeProxy: { replacement: true } } } },
      ({ spec }) => spec.kubernetes.proxyMode,
      'none',
    ],
    ['an election takes ten heartbeats', {}, ({ spec }) => [spec.etcd.heartbeatInterval, spec.etcd.electionTimeout], [100, 1000]],
    ['slow heartbeats make it longer', { 'spec.etcd.heartbeatInterval': 8000 }, ({ spec }) => spec.etcd.electionTimeout, 50_000],
    ['what is written counts', { 'spec.etcd.electionTimeout': 5000 }, ({ spec }) => spec.etcd.electionTimeout, 5000],
    [
      'images lie where the registry says',
      { 'spec.registry': { containerdDataDir: '/data/images' } },
      ({ spec }) => spec.kubernetes.containerRuntime.containerd.root,
      '/data/images',
    ],
    [
      'unless the runtime says it itself',
      { 'spec.registry': { containerdDataDir: '/data/images' }, 'spec.kubernetes.containerRuntime': { containerd: { root: '/data/own' } } },
      ({ spec }) => spec.kubernetes.containerRuntime.containerd.root,
      '/data/own',
    ],
    ['internalAddress is the address', {}, ({ spec }) => spec.hosts[0]?.internalAddress, ['172.16.0.2']],
  ])('%s', (_, edits, pick, expected) => expect(pick(read(edits).cluster)).toEqual(expected))

  it.each([
    ['10.233.64.0/18', 64],
    ['10.233.64.0/18,fd85::1:0/112', 120],
    ['fd00::/48', 64],
    ['fd00::/56', 64],
  ])('the IPv6 node mask of %s is %i', (ranges, mask) => {
    const families = ranges.split(',').map((range) => (range.includes(':') ? 'fd99::/112' : '10.233.0.0/18'))
    const hosts = [{ name: 'node1', address: '172.16.0.2', internalAddress: '172.16.0.2,2022::2' }]
    const { cluster } = read({
      'spec.hosts': hosts,
      'spec.roleGroups': { master: ['node1'] },
      'spec.network': { kubePodsCIDR: ranges, kubeServiceCIDR: families },
    })
    expect(cluster.spec.kubernetes.nodeCidrMaskSizeIPv6).toBe(mask)
  })
})

it('keeps the zeros of a range and the order of the config', () => {
  const hosts = ['08', '09', '10'].map((n, i) => ({ name: `n${n}`, address: `10.0.0.${i + 1}` }))
  const { cluster } = read({ 'spec.hosts': hosts, 'spec.roleGroups': { master: 'n08', worker: ['n[09:10]'] } })
  expect(rolesOf(cluster)).toMatchObject({ master: ['n08'], worker: ['n09', 'n10'] })
})

it('gives every host what holds for it', () => {
  const { cluster } = read({
    'spec.global': {
      user: 'ops',
      port: 2222,
      password: { env: 'P' },
      connectionTimeout: 7,
      bastion: { address: 'jump.example.com', privateKeyPath: '~/.ssh/jump' },
    },
    'spec.hosts': [
      { name: 'node1', address: '172.16.0.2', internalAddress: '10.0.0.2, 2022::2' },
      { name: 'node2', address: 'node2.example.com', port: 22, privateKeyPath: '~/.ssh/own', sudoPassword: { env: 'S' }, arch: 'arm64' },
    ],
    'spec.roleGroups': { master: ['node1'], worker: ['node1', 'node2'] },
  })
  const [first, second] = hostsOf(cluster)
  expect(first).toMatchObject({
    user: 'ops',
    port: 2222,
    internalAddress: '10.0.0.2',
    internalAddresses: ['10.0.0.2', '2022::2'],
    roles: ['etcd', 'master', 'worker'],
    timeout: 7,
    arch: null,
  })
  expect(first?.password?.reference).toEqual({ kind: 'env', name: 'P' })
  expect(first?.sudoPassword?.reference).toEqual({ kind: 'env', name: 'P' })
  expect(first?.bastion).toMatchObject({ address: 'jump.example.com', port: 22, user: 'root' })
  expect(second).toMatchObject({
    port: 22,
    privateKeyPath: '~/.ssh/own',
    password: null,
    roles: ['worker'],
    arch: 'arm64',
    internalAddresses: ['node2.example.com'],
  })
  expect(second?.sudoPassword?.reference).toEqual({ kind: 'env', name: 'S' })
})
