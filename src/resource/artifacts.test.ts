import { describe, expect, test } from 'vitest'
import { type Artifact, artifactsFor, type ClusterShape } from './artifacts.ts'
import { builtInCatalogue } from './catalogue.ts'
import { artifactPath } from './work-dir.ts'

const base: ClusterShape = {
  kubernetesVersion: 'v1.34.4',
  kubernetesType: 'kubexm',
  etcdType: 'kubexm',
  runtime: { type: 'containerd' },
  cni: { plugin: 'flannel' },
  externalLoadBalancer: '',
  internalLoadBalancer: '',
  registry: 'none',
  addons: [],
  hosts: [
    { name: 'e1', roles: ['etcd'], arch: 'amd64' },
    { name: 'm1', roles: ['master'], arch: 'amd64' },
    { name: 'w1', roles: ['worker'], arch: 'amd64' },
    { name: 'w2', roles: ['worker'], arch: 'arm64' },
  ],
}

const artifacts = (change: Partial<ClusterShape> = {}): readonly Artifact[] => artifactsFor({ ...base, ...change }, builtInCatalogue)
const ids = (change: Partial<ClusterShape> = {}): readonly string[] => artifacts(change).map(({ id }) => id)
const hostsOf = (id: string, change: Partial<ClusterShape> = {}): readonly string[] | undefined =>
  artifacts(change).find((artifact) => artifact.id === id)?.hosts

test('binaries: each host gets what its role and architecture need, and nothing else', () => {
  expect(hostsOf('kubelet/v1.34.4/amd64')).toEqual(['m1', 'w1'])
  expect(hostsOf('kubelet/v1.34.4/arm64')).toEqual(['w2'])
  expect(hostsOf('kube-apiserver/v1.34.4/amd64')).toEqual(['m1'])
  expect(hostsOf('etcd/v3.6.5/amd64')).toEqual(['e1'])
  expect(ids().filter((id) => id.endsWith('/arm64') && /^(kube-apiserver|etcd|helm|kubectl)\//.test(id))).toEqual([])
  expect(ids().filter((id) => id.startsWith('kubeadm/'))).toEqual([])
})

test('kubeadm: its programs, its images, and no control plane binaries', () => {
  const change = { kubernetesType: 'kubeadm', etcdType: 'kubeadm' } as const
  expect(hostsOf('registry.k8s.io/kube-apiserver:v1.34.4/amd64', change)).toEqual(['m1'])
  expect(hostsOf('registry.k8s.io/etcd:3.6.5-0/amd64', change)).toEqual(['m1'])
  expect(hostsOf('registry.k8s.io/kube-proxy:v1.34.4/arm64', change)).toEqual(['w2'])
  expect(hostsOf('kubeadm/v1.34.4/amd64', change)).toEqual(['m1', 'w1'])
  expect(ids(change).filter((id) => /^(kube-apiserver|kube-proxy|etcd)\//.test(id))).toEqual([])
})

describe('choices', () => {
  const scenarios: readonly {
    readonly scenario: string
    readonly change: Partial<ClusterShape>
    readonly has: readonly string[]
    readonly lacks: readonly string[]
  }[] = [
    {
      scenario: 'containerd, default',
      change: {},
      has: ['containerd/v2.1.4/amd64', 'runc/v1.3.3/amd64', 'crictl/v1.34.0/amd64', 'cni-plugins/v1.7.1/arm64'],
      lacks: [],
    },
    {
      scenario: 'containerd of a named version',
      change: { runtime: { type: 'containerd', version: '1.7.28' } },
      has: ['containerd/v1.7.28/amd64'],
      lacks: ['containerd/v2.1.4/amd64'],
    },
    {
      scenario: 'docker',
      change: { runtime: { type: 'docker' } },
      has: ['package/docker', 'cri-dockerd/v0.4.0/amd64'],
      lacks: ['containerd/v2.1.4/amd64'],
    },
    {
      scenario: 'cri-o',
      change: { runtime: { type: 'cri-o' } },
      has: ['cri-o/v1.34.0/amd64'],
      lacks: ['containerd/v2.1.4/amd64', 'package/docker'],
    },
    { scenario: 'external etcd', change: { etcdType: 'external' }, has: [], lacks: ['etcd/v3.6.5/amd64'] },
    { scenario: 'etcd of a named version', change: { etcdVersion: '3.5.16' }, has: ['etcd/v3.5.16/amd64'], lacks: ['etcd/v3.6.5/amd64'] },
    {
      scenario: 'calico',
      change: { cni: { plugin: 'calico' } },
      has: ['docker.io/calico/node:v3.28.5/amd64'],
      lacks: ['ghcr.io/flannel-io/flannel:v0.26.7/amd64'],
    },
    { scenario: 'no network', change: { cni: null }, has: [], lacks: ['ghcr.io/flannel-io/flannel:v0.26.7/amd64'] },
    {
      scenario: 'haproxy on the nodes',
      change: { internalLoadBalancer: 'haproxy' },
      has: ['docker.io/library/haproxy:2.8.16/arm64'],
      lacks: ['package/haproxy'],
    },
    {
      scenario: 'a load balancer of the user’s own image',
      change: { internalLoadBalancer: 'haproxy', balancerImage: 'hub.example.com/haproxy:3.2' },
      has: ['hub.example.com/haproxy:3.2/arm64'],
      lacks: ['docker.io/library/haproxy:2.8.16/arm64'],
    },
    {
      scenario: 'kube-vip',
      change: { internalLoadBalancer: 'kube-vip' },
      has: ['ghcr.io/kube-vip/kube-vip:v1.0.0/amd64'],
      lacks: ['ghcr.io/kube-vip/kube-vip:v1.0.0/arm64'],
    },
    {
      scenario: 'keepalived and nginx',
      change: { externalLoadBalancer: 'kubexm-kn', hosts: [...base.hosts, { name: 'lb1', roles: ['loadbalancer'], arch: 'amd64' }] },
      has: ['package/keepalived', 'package/nginx'],
      lacks: ['package/haproxy'],
    },
    {
      scenario: 'a registry',
      change: { registry: 'registry', hosts: [...base.hosts, { name: 'r1', roles: ['registry'], arch: 'amd64' }] },
      has: ['registry/v3.0.0/amd64'],
      lacks: ['harbor/v2.13.2/amd64'],
    },
    {
      scenario: 'harbor',
      change: { registry: 'harbor', hosts: [...base.hosts, { name: 'r1', roles: ['registry'], arch: 'amd64' }] },
      has: ['harbor/v2.13.2/amd64', 'docker-compose/v2.40.0/amd64'],
      lacks: [],
    },
    {
      scenario: 'an addon',
      change: { addons: ['metrics-server', 'something-of-the-user'] },
      has: ['registry.k8s.io/metrics-server/metrics-server:v0.8.0/amd64'],
      lacks: [],
    },
    {
      scenario: "the user's own",
      change: {
        extra: {
          charts: [{ name: 'c', version: '1', url: 'https://x/c-1.tgz' }],
          manifests: [{ name: 'm', url: 'https://x/m.yaml' }],
          images: ['docker.io/library/busybox:1.37.0'],
        },
      },
      has: ['chart/c/1', 'manifest/m', 'docker.io/library/busybox:1.37.0/arm64'],
      lacks: [],
    },
  ]
  test.each(scenarios)('$scenario', ({ change, has, lacks }) => {
    const found = ids(change)
    expect(found).toEqual(expect.arrayContaining([...has]))
    expect(found.filter((id) => lacks.includes(id))).toEqual([])
  })
})

test('the list is sorted, without repeats, and the same every time', () => {
  const found = ids()
  expect(found).toEqual([...new Set(found)].sort())
  expect(ids()).toEqual(found)
})

test('the work directory has the layout of the specification', () => {
  const at = (id: string): string | null | undefined => {
    const artifact = artifacts().find((candidate) => candidate.id === id)
    return artifact === undefined ? undefined : artifactPath('/work/.kubexm/prod', artifact)
  }
  expect(at('kubelet/v1.34.4/arm64')).toBe('/work/.kubexm/prod/kubernetes/v1.34.4/arm64/kubelet')
  expect(at('etcd/v3.6.5/amd64')).toBe('/work/.kubexm/prod/etcd/v3.6.5/amd64/etcd-v3.6.5-linux-amd64.tar.gz')
  expect(at('containerd/v2.1.4/amd64')).toBe(
    '/work/.kubexm/prod/container_runtime/containerd/v2.1.4/amd64/containerd-2.1.4-linux-amd64.tar.gz',
  )
  expect(at('registry.k8s.io/pause:3.10.1/amd64')).toBe('/work/.kubexm/prod/images/amd64/registry.k8s.io_pause_3.10.1.tar')
  expect(at('package/node')).toBeNull()
  const all = artifacts().flatMap((artifact) => artifactPath('/w', artifact) ?? [])
  expect(new Set(all).size).toBe(all.length)
})
