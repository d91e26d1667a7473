import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { kubeadmCluster } from '../../test/support/kubeadm.ts'
import type { ClusterHost } from '../config/index.ts'
import { toYaml } from '../util/yaml.ts'
import { initDocuments, joinConfiguration, type KubeadmChoices, type KubeadmHost, kubeletPatch } from './kubeadm.ts'
import { kubeadmTraits } from './kubeadm-traits.ts'

const pki = '/etc/kubernetes/pki'
const choices: KubeadmChoices = {
  images: {
    kubernetes: 'registry.k8s.io',
    etcd: { repository: 'registry.k8s.io', tag: '3.6.5-0' },
    coredns: { repository: 'registry.k8s.io/coredns', tag: 'v1.12.1' },
  },
  certSans: ['lb.kubexm.local', 'localhost', '127.0.0.1'],
  authority: `${pki}/ca.crt`,
  serving: { cert: `${pki}/kubelet-server.crt`, key: `${pki}/kubelet-server.key` },
  etcd: { authority: `${pki}/etcd/ca.crt`, client: { cert: `${pki}/apiserver-etcd-client.crt`, key: `${pki}/apiserver-etcd-client.key` } },
  patches: '/etc/kubernetes/patches',
  discovery: '/etc/kubernetes/kubexm-join.conf',
}

const on = (host: ClusterHost | undefined, cgroup: 'v1' | 'v2' | 'hybrid' = 'v2'): KubeadmHost => {
  if (host === undefined) throw new Error('there is no such host')
  return { ...host, facts: { cgroup, init: 'systemd' } }
}
type Made = ReturnType<typeof kubeadmCluster>
const hostIn = ({ hosts }: Made, name: string): ClusterHost | undefined => hosts.find((host) => host.name === name)
/** One document of a kind, as it is written. */
function documentOf(made: Made, name: string, kind: string, over: Partial<KubeadmChoices> = {}, cgroup: 'v1' | 'v2' = 'v2'): Document {
  const host = on(hostIn(made, name), cgroup)
  const all = { ...choices, ...over }
  const manifests = kind === 'JoinConfiguration' ? [joinConfiguration(made.cluster, host, all)] : initDocuments(made.cluster, host, all)
  const documents = parseAllDocuments(toYaml(...manifests)).map((document) => document.toJS() as Document)
  return documents.find((document) => document.kind === kind) ?? {}
}
type Document = Readonly<Record<string, Readonly<Record<string, unknown>> | string | undefined>>

/** A field of a field. */
const fieldOf = (document: Document, group: string, field: string): unknown => (document[group] as Readonly<Record<string, unknown>>)[field]

const initText = (made: Made, name: string): string => toYaml(...initDocuments(made.cluster, on(hostIn(made, name)), choices))
const joinText = (made: Made, name: string): string => toYaml(joinConfiguration(made.cluster, on(hostIn(made, name)), choices))

describe('the configuration of kubeadm', () => {
  const safe = 'apiServer: {audit: {enabled: true}, encryption: {enabled: true}, extraArgs: {event-ttl: 2h}}\nmaxPods: 55'
  it.each([
    ['v1.30.14', 'v1beta3'],
    ['v1.34.4', 'v1beta4'],
  ])('of %s is golden for masters and workers', async (version, api) => {
    const made = kubeadmCluster({ masters: 3, workers: 1, version }, safe)
    await expect(initText(made, 'm1')).toMatchFileSnapshot(`golden/kubeadm-${api}-init.yaml`)
    await expect(joinText(made, 'm2')).toMatchFileSnapshot(`golden/kubeadm-${api}-join-master.yaml`)
    await expect(joinText(made, 'w1')).toMatchFileSnapshot(`golden/kubeadm-${api}-join-worker.yaml`)
  })

  it('is golden for an etcd that is not kubeadm’s', async () => {
    const made = kubeadmCluster({ masters: 3, workers: 0, etcd: 'kubexm' }, 'apiserverCertExtraSans: [api.example.com]')
    await expect(initText(made, 'm1')).toMatchFileSnapshot('golden/kubeadm-v1beta4-external-etcd.yaml')
  })

  it.each([30, 31, 32, 33, 34, 35, 36, 37])('is of an API that kubeadm 1.%i reads', (minor) => {
    const version = {
      30: 'v1.30.14',
      31: 'v1.31.14',
      32: 'v1.32.13',
      33: 'v1.33.4',
      34: 'v1.34.4',
      35: 'v1.35.4',
      36: 'v1.36.3',
      37: 'v1.37.1',
    }[minor]
    const made = kubeadmCluster({ masters: 1, workers: 1, ...(version === undefined ? {} : { version }) })
    for (const [name, kinds] of [
      ['m1', ['InitConfiguration', 'ClusterConfiguration']],
      ['w1', ['JoinConfiguration']],
    ] as const) {
      for (const kind of kinds)
        expect(documentOf(made, name, kind)).toMatchObject({ apiVersion: minor < 31 ? 'kubeadm.k8s.io/v1beta3' : 'kubeadm.k8s.io/v1beta4' })
    }
    expect(Array.isArray(fieldOf(documentOf(made, 'w1', 'JoinConfiguration'), 'nodeRegistration', 'kubeletExtraArgs'))).toBe(minor >= 31)
    expect(Array.isArray(fieldOf(documentOf(made, 'm1', 'ClusterConfiguration'), 'apiServer', 'extraArgs'))).toBe(minor >= 31)
  })

  it('taints a master unless it is a worker too', () => {
    const alone = kubeadmCluster({ masters: 1, workers: 0 })
    expect(fieldOf(documentOf(alone, 'm1', 'InitConfiguration'), 'nodeRegistration', 'taints')).toEqual([])
    const apart = kubeadmCluster({ masters: 1, workers: 1 })
    expect(fieldOf(documentOf(apart, 'm1', 'InitConfiguration'), 'nodeRegistration', 'taints')).toEqual([
      { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
    ])
  })

  it('leaves kube-proxy out where something else serves services', () => {
    const made = kubeadmCluster({ masters: 1, workers: 0 }, '', '').cluster
    const without = { ...made, spec: { ...made.spec, kubernetes: { ...made.spec.kubernetes, proxyMode: 'none' as const } } }
    const [host] = kubeadmCluster({ masters: 1, workers: 0 }).hosts
    const documents = initDocuments(without, on(host), choices)
    expect(documents.map(({ kind }) => kind)).not.toContain('KubeProxyConfiguration')
    expect(documents.find(({ kind }) => kind === 'ClusterConfiguration')).toMatchObject({ proxy: { disabled: true } })
  })

  it.each([
    ['v1.34.4', 'v1', undefined],
    ['v1.35.4', 'v1', ['SystemVerification']],
    ['v1.35.4', 'v2', undefined],
  ] as const)('of %s on cgroup %s ignores %s', (version, cgroup, ignored) => {
    const made = kubeadmCluster({ masters: 1, workers: 1, version })
    expect(fieldOf(documentOf(made, 'w1', 'JoinConfiguration', {}, cgroup), 'nodeRegistration', 'ignorePreflightErrors')).toEqual(ignored)
  })

  it.each([
    ['[Mem, NumCPU]', ['Mem', 'NumCPU']],
    ['[Mem, all]', ['all']],
  ])('ignores the checks the user names: %s', (named, ignored) => {
    const made = kubeadmCluster({ masters: 1, workers: 0 }, '', `preflight: {ignoreKubeadmErrors: ${named}}`)
    expect(fieldOf(documentOf(made, 'm1', 'InitConfiguration'), 'nodeRegistration', 'ignorePreflightErrors')).toEqual(ignored)
  })

  it.each([
    ['v1.30.14', 'ECDSA-P256', { featureGates: { PublicKeysECDSA: true } }],
    ['v1.30.14', 'RSA-2048', {}],
    ['v1.31.14', 'RSA-2048', { encryptionAlgorithm: 'RSA-2048', certificateValidityPeriod: '48h', caCertificateValidityPeriod: '87600h' }],
  ])('of %s makes keys of %s', (version, algorithm, expected) => {
    const made = kubeadmCluster({ masters: 1, workers: 0, version }, '', `certs: {keyAlgorithm: ${algorithm}, CertDuration: 2d}`)
    const { featureGates, encryptionAlgorithm, certificateValidityPeriod, caCertificateValidityPeriod } = documentOf(
      made,
      'm1',
      'ClusterConfiguration',
    )
    expect(
      JSON.parse(JSON.stringify({ featureGates, encryptionAlgorithm, certificateValidityPeriod, caCertificateValidityPeriod })),
    ).toEqual(expected)
  })

  it('takes images from the registry it is told', () => {
    const images = {
      kubernetes: 'hub.local/k8s',
      etcd: { repository: 'hub.local/k8s', tag: '3.6.5-0' },
      coredns: { repository: 'hub.local/k8s/coredns', tag: 'v1.12.1' },
    }
    const made = kubeadmCluster({ masters: 1, workers: 0, version: 'v1.30.14' })
    expect(documentOf(made, 'm1', 'ClusterConfiguration', { images })).toMatchObject({
      imageRepository: 'hub.local/k8s',
      etcd: { local: { imageRepository: 'hub.local/k8s', imageTag: '3.6.5-0' } },
      dns: { imageRepository: 'hub.local/k8s/coredns', imageTag: 'v1.12.1' },
    })
  })

  it('lets any certificate of a kubelet pass only where kubelets get theirs from the cluster', () => {
    const made = kubeadmCluster({ masters: 1, workers: 0 })
    const argument = { name: 'kubelet-certificate-authority', value: `${pki}/ca.crt` }
    expect(fieldOf(documentOf(made, 'm1', 'ClusterConfiguration'), 'apiServer', 'extraArgs')).toContainEqual(argument)
    const { serving: _, ...without } = choices
    const documents = initDocuments(made.cluster, on(hostIn(made, 'm1')), without)
    expect(JSON.stringify(documents)).not.toContain('kubelet-certificate-authority')
  })
})

describe('what is patched of a kubelet’s configuration', () => {
  it.each([
    ['v1.34.4', 'hybrid', { cgroupDriver: 'systemd' }],
    ['v1.35.4', 'hybrid', { cgroupDriver: 'systemd', failCgroupV1: false }],
    ['v1.35.4', 'v2', { cgroupDriver: 'systemd' }],
  ] as const)('in %s on cgroup %s', (version, cgroup, expected) => {
    expect(kubeletPatch(kubeadmCluster({ masters: 1, workers: 0, version }).cluster, { facts: { cgroup, init: 'systemd' } })).toEqual(
      expected,
    )
  })
})

describe('the table of kubeadm’s versions', () => {
  it.each([
    ['v1.30.14', { api: 'kubeadm.k8s.io/v1beta3', extraArgs: 'map', bootstrapPhases: ['kubelet-start'], refusesCgroupV1: false }],
    ['v1.31.0', { api: 'kubeadm.k8s.io/v1beta4', extraArgs: 'list', bootstrapPhases: ['kubelet-start', 'kubelet-wait-bootstrap'] }],
    ['v1.34.4', { choosesKeys: true, leavesOutAddons: true, refusesCgroupV1: false }],
    ['v1.35.0', { api: 'kubeadm.k8s.io/v1beta4', refusesCgroupV1: true }],
    ['v1.37.1', { api: 'kubeadm.k8s.io/v1beta4', extraArgs: 'list', refusesCgroupV1: true }],
  ])('knows %s', (version, traits) => {
    expect(kubeadmTraits(version)).toMatchObject(traits)
  })
})
