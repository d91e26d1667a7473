import { describe, expect, it } from 'vitest'
import { clusterOf, smallCluster } from '../../test/support/clusters.ts'
import { type Cluster, hostsOf } from '../config/index.ts'
import { kubeconfigs, type LeafId, leafIds, leaves } from './table.ts'
import { allWanted, wantedAuthorities, wantedLeaf } from './wanted.ts'

/** Who holds what, one line a host. */
const holdings = (cluster: Cluster): Readonly<Record<string, string>> => {
  const held: Record<string, string[]> = {}
  for (const { host, id } of allWanted(cluster)) held[host] = [...(held[host] ?? []), id]
  return Object.fromEntries(Object.entries(held).map(([host, ids]) => [host, ids.join(' ')]))
}

const api = 'apiserver apiserver-kubelet-client'

describe('who holds which certificate', () => {
  it.each([
    {
      of: 'kubeadm with an etcd of kubexm',
      spec: '',
      node1: `${api} apiserver-etcd-client front-proxy-client etcd-server etcd-peer etcd-admin kubelet-server admin`,
      worker: 'kubelet-server',
    },
    {
      of: 'kubeadm with stacked etcd',
      spec: 'etcd: {type: kubeadm}',
      node1: `${api} apiserver-etcd-client front-proxy-client stacked-etcd-server stacked-etcd-peer stacked-etcd-healthcheck-client kubelet-server admin`,
      worker: 'kubelet-server',
    },
    {
      of: 'binaries',
      spec: 'kubernetes: {type: kubexm}',
      node1: `${api} apiserver-etcd-client front-proxy-client etcd-server etcd-peer etcd-admin kubelet-server admin controller-manager scheduler kubelet kube-proxy`,
      worker: 'kubelet-server kubelet kube-proxy',
    },
    {
      of: 'binaries without kube-proxy, kubelets that ask for their serving certificates',
      spec: 'kubernetes: {type: kubexm, proxyMode: none, featureGates: {RotateKubeletServerCertificate: true}}\nnetwork: {plugin: none}',
      node1: `${api} apiserver-etcd-client front-proxy-client etcd-server etcd-peer etcd-admin admin controller-manager scheduler kubelet`,
      worker: 'kubelet',
    },
  ])('$of', ({ spec, node1, worker }) => {
    expect(holdings(smallCluster(spec).cluster)).toEqual({ node1, node2: worker, node3: worker, local: 'admin' })
  })

  it('leaves the certificates of a foreign etcd to its owner', () => {
    const cluster = externalEtcd('https://192.0.2.9:2379')
    expect(holdings(cluster).node1).toBe(`${api} front-proxy-client kubelet-server admin`)
    expect(wantedAuthorities(cluster)).toEqual(['kubernetes', 'front-proxy'])
    expect(leaves['apiserver-etcd-client'].isFor(cluster, hostOf(cluster, 'node1'))).toBe(true)
    const plain = externalEtcd('http://192.0.2.9:2379')
    expect(leaves['apiserver-etcd-client'].isFor(plain, hostOf(plain, 'node1'))).toBe(false)
  })

  it('gives the registry its own, and etcd hosts that are nothing else no more than etcd needs', () => {
    const held = holdings(apart)
    expect(held.store).toBe('registry')
    expect(held.db1).toBe('etcd-server etcd-peer etcd-admin')
    expect(held.lb1).toBeUndefined()
    expect(held.node1).toBe(`${api} apiserver-etcd-client front-proxy-client kubelet-server admin`)
  })
})

describe('what certificates say', () => {
  it.each<[LeafId, string, readonly string[], string, string]>([
    ['apiserver', 'kube-apiserver', [], 'server', '/etc/kubernetes/pki/apiserver'],
    [
      'apiserver-kubelet-client',
      'kube-apiserver-kubelet-client',
      ['kubeadm:cluster-admins'],
      'client',
      '/etc/kubernetes/pki/apiserver-kubelet-client',
    ],
    ['apiserver-etcd-client', 'kube-apiserver-etcd-client', [], 'client', '/etc/kubernetes/pki/apiserver-etcd-client'],
    ['front-proxy-client', 'front-proxy-client', [], 'client', '/etc/kubernetes/pki/front-proxy-client'],
    ['etcd-server', 'node1', [], 'server client', '/etc/etcd/pki/server'],
    ['etcd-peer', 'node1', [], 'server client', '/etc/etcd/pki/peer'],
    ['etcd-admin', 'root', [], 'client', '/etc/etcd/pki/admin'],
    ['stacked-etcd-server', 'node1', [], 'server client', '/etc/kubernetes/pki/etcd/server'],
    ['stacked-etcd-peer', 'node1', [], 'server client', '/etc/kubernetes/pki/etcd/peer'],
    ['stacked-etcd-healthcheck-client', 'kube-etcd-healthcheck-client', [], 'client', '/etc/kubernetes/pki/etcd/healthcheck-client'],
    ['kubelet-server', 'system:node:node1', ['system:nodes'], 'server', '/etc/kubernetes/pki/kubelet-server'],
    ['registry', 'registry', [], 'server', '/etc/registry/pki/registry'],
  ])('%s is %s', (id, commonName, organizations, usages, path) => {
    const { cluster } = smallCluster()
    const { expected } = wantedLeaf(cluster, id, hostOf(cluster, 'node1'))
    expect(expected).toMatchObject({ commonName, organizations, usages: usages.split(' ') })
    expect(leaves[id].paths).toEqual({ cert: `${path}.crt`, key: `${path}.key` })
  })

  it('puts no two leaves in one file', () => {
    const paths = leafIds.flatMap((id) => Object.values(leaves[id].paths))
    expect(new Set(paths).size).toBe(paths.length)
  })

  it.each([
    ['kubernetes: {version: v1.34.4}', 'kubeadm:cluster-admins'],
    ['kubernetes: {version: v1.28.15}', 'system:masters'],
    ['kubernetes: {type: kubexm, version: v1.34.4}', 'system:masters'],
  ])('administrators with %s are %s', (spec, group) => {
    const { cluster } = smallCluster(spec)
    const groups = allWanted(cluster).flatMap(({ id, expected }) =>
      id === 'admin' || id === 'apiserver-kubelet-client' ? expected.organizations : [],
    )
    expect(new Set(groups)).toEqual(new Set([group]))
  })

  it('sends each kubeconfig to the API its holder uses', () => {
    const { cluster } = smallCluster('kubernetes: {type: kubexm}')
    const [master, worker] = [hostOf(cluster, 'node1'), hostOf(cluster, 'node2')]
    expect(kubeconfigs.scheduler.server(cluster, master)).toBe('https://192.0.2.1:6443')
    expect(kubeconfigs.kubelet.server(cluster, worker)).toBe('https://lb.kubexm.local:6443')
    expect(kubeconfigs.admin.server(cluster, null)).toBe('https://192.0.2.1:6443')
    expect(kubeconfigs.joiner.server(cluster, worker)).toBe('https://192.0.2.1:6443')
  })
})

describe('names of servers', () => {
  it('holds every name and address of the API server, in both families', () => {
    const host = hostOf(dualStack, 'node1')
    expect([...wantedLeaf(dualStack, 'apiserver', host).expected.names].sort()).toEqual(
      [
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.corp.example',
        'api.corp.example',
        'node1',
        '192.0.2.1',
        '2001:db8::1',
        '10.233.0.1',
        'fd85:ee78:d8a6:8607::1',
        '192.0.2.250',
        'extra.example.com',
        '2001:db8::99',
        'localhost',
        '127.0.0.1',
        '::1',
      ].sort(),
    )
  })

  it('names members, kubelets and the registry by what they are reached under', () => {
    const host = hostOf(dualStack, 'node1')
    const own = ['node1', '192.0.2.1', '2001:db8::1']
    const loopback = ['localhost', '127.0.0.1', '::1']
    expect(wantedLeaf(dualStack, 'etcd-server', host).expected.names).toEqual([...own, ...loopback])
    expect(wantedLeaf(dualStack, 'kubelet-server', host).expected.names).toEqual(own)
    const registry = wantedLeaf(apart, 'registry', hostOf(apart, 'store')).expected.names
    expect(registry).toEqual(['hub.example.com', 'store', '192.0.2.4', ...loopback])
  })
})

const hostOf = (cluster: Cluster, name: string) => {
  const host = hostsOf(cluster).find((one) => one.name === name)
  if (host === undefined) throw new Error(`no host is called ${name}`)
  return host
}

const externalEtcd = (endpoint: string): Cluster => {
  const files = endpoint.startsWith('https') ? ', caFile: ca.crt, certFile: c.crt, keyFile: c.key' : ''
  return clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {master: [node1], worker: [node1]}
  etcd: {type: external, external: {endpoints: ["${endpoint}"]${files}}}
`)
}

const apart = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: db1, address: 192.0.2.2, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: lb1, address: 192.0.2.3, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: store, address: 192.0.2.4, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {etcd: [db1], master: [node1], worker: [node1], loadbalancer: [lb1], registry: [store]}
  controlPlaneEndpoint: {externalLoadBalancer: kubexm-kh, lb_address: 192.0.2.250}
  registry: {privateRegistry: "hub.example.com:5000"}
`)

const dualStack = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, internalAddress: "192.0.2.1,2001:DB8:0::1", privateKeyPath: ~/.ssh/id_ed25519}
  - {name: lb1, address: 192.0.2.3, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {etcd: [node1], master: [node1], worker: [node1], loadbalancer: [lb1]}
  controlPlaneEndpoint: {domain: api.corp.example, externalLoadBalancer: kubexm-kn, lb_address: 192.0.2.250}
  kubernetes:
    dnsDomain: corp.example
    apiserverCertExtraSans: [extra.example.com, 192.0.2.1, "2001:db8:0:0::99"]
  network:
    kubePodsCIDR: 10.233.64.0/18,fd85:ee78:d8a6:8607::1:0000/112
    kubeServiceCIDR: 10.233.0.0/18,fd85:ee78:d8a6:8607::/116
`)
