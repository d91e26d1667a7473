import { describe, expect, it } from 'vitest'
import { smallCluster, withRanges } from '../../test/support/clusters.ts'
import { toYaml } from '../util/yaml.ts'
import {
  cgroupDriverFor,
  kubeletConfiguration,
  kubeProxyConfiguration,
  nodeAddresses,
  nodeLabels,
  nodeTaints,
  rotatesServingCertificates,
  runtimeEndpoint,
} from './index.ts'

const kubernetes = (version: string, more = '') =>
  smallCluster(`kubernetes:\n  version: ${version}\n${more.replace(/^(?=.)/gm, '  ')}`).cluster
const v2 = { facts: { cgroup: 'v2', init: 'systemd' } } as const
const hybrid = { facts: { cgroup: 'hybrid', init: 'systemd' } } as const
const v1 = { facts: { cgroup: 'v1', init: 'openrc' } } as const

describe('the configuration of a kubelet', () => {
  it('is this by default', async () => {
    const serving = { cert: '/etc/kubernetes/pki/kubelet-server.crt', key: '/etc/kubernetes/pki/kubelet-server.key' }
    await expect(toYaml(kubeletConfiguration(kubernetes('v1.34.4'), v2, { serving }))).toMatchFileSnapshot('golden/kubelet.yaml')
  })

  it('is this with everything said', async () => {
    const cluster = kubernetes(
      'v1.35.4',
      `maxPods: 200
podPidsLimit: -1
featureGates: {RotateKubeletServerCertificate: true}
kubelet:
  cpuManagerPolicy: static
  evictionHard: {memory.available: 5%}
  evictionSoft: {memory.available: 10%}
  evictionSoftGracePeriod: {memory.available: 2m}
  kubeReserved: {cpu: 200m, memory: 250Mi}
  systemReserved: {cpu: 100m}
  featureGates: {ContainerCheckpoint: false}
  configuration: {imageGCHighThresholdPercent: 80, authentication: {webhook: {cacheTTL: 1m}}}`,
    )
    const choices = { resolvConf: '/run/systemd/resolve/resolv.conf', taints: nodeTaints({ roles: ['master'], taints: [] }) }
    await expect(toYaml(kubeletConfiguration(cluster, hybrid, choices))).toMatchFileSnapshot('golden/kubelet-all.yaml')
  })

  it.each([
    ['v1.30.14', v1, undefined],
    ['v1.31.14', v1, undefined],
    ['v1.34.4', hybrid, undefined],
    ['v1.35.4', v2, undefined],
    ['v1.35.4', v1, false],
    ['v1.35.4', hybrid, false],
    ['v1.36.3', v1, false],
    ['v1.37.1', hybrid, false],
  ] as const)('of %s on %o says of cgroup v1: %s', (version, host, expected) => {
    expect(kubeletConfiguration(kubernetes(version), host).failCgroupV1).toBe(expected)
  })

  it('has a serving certificate of ours unless kubelets ask for their own', () => {
    const serving = { cert: '/c', key: '/k' }
    const ours = kubernetes('v1.34.4')
    expect(kubeletConfiguration(ours, v2, { serving })).toMatchObject({ tlsCertFile: '/c', tlsPrivateKeyFile: '/k' })
    expect(rotatesServingCertificates(ours)).toBe(false)
    const own = kubernetes('v1.34.4', 'kubelet: {featureGates: {RotateKubeletServerCertificate: true}}')
    expect(rotatesServingCertificates(own)).toBe(true)
    expect(kubeletConfiguration(own, v2, { serving })).toMatchObject({ serverTLSBootstrap: true })
    expect(kubeletConfiguration(own, v2, { serving })).not.toHaveProperty('tlsCertFile')
  })

  it.each([
    ['', v2, 'systemd'],
    ['', v1, 'cgroupfs'],
    ['containerRuntime: {containerd: {useSystemdCgroup: false}}', v2, 'cgroupfs'],
    ['containerRuntime: {type: docker, docker: {cgroupDriver: cgroupfs}}', v2, 'cgroupfs'],
    ['containerRuntime: {type: cri-o, crio: {cgroupManager: cgroupfs}}', v2, 'cgroupfs'],
    ['containerRuntime: {containerd: {useSystemdCgroup: false}}\nkubelet: {cgroupDriver: systemd}', v2, 'systemd'],
  ] as const)('with %j on %o has the cgroup driver %s', (spec, host, driver) => {
    expect(cgroupDriverFor(kubernetes('v1.34.4', spec), host)).toBe(driver)
  })

  it('finds the socket of each runtime', () => {
    const endpoint = (type: string): string => runtimeEndpoint(kubernetes('v1.34.4', `containerRuntime: {type: ${type}}`))
    expect(['containerd', 'docker', 'cri-o', 'isulad'].map(endpoint)).toEqual([
      'unix:///run/containerd/containerd.sock',
      'unix:///run/cri-dockerd.sock',
      'unix:///var/run/crio/crio.sock',
      'unix:///var/run/isulad.sock',
    ])
  })
})

describe('the configuration of kube-proxy', () => {
  it('is one for all nodes, or one of a node', async () => {
    const cluster = kubernetes(
      'v1.34.4',
      'proxyMode: iptables\nmasqueradeAll: true\nkubeProxy: {configuration: {conntrack: {maxPerCore: 0}}}',
    )
    expect(kubeProxyConfiguration(cluster)).not.toHaveProperty('hostnameOverride')
    const own = { kubeconfig: '/etc/kubernetes/kube-proxy.conf', nodeName: 'node1' }
    await expect(toYaml(kubeProxyConfiguration(cluster, own))).toMatchFileSnapshot('golden/kube-proxy.yaml')
  })

  it('of nftables masquerades in the section of nftables', () => {
    const config = kubeProxyConfiguration(kubernetes('v1.31.14', 'proxyMode: nftables\nmasqueradeAll: true'))
    expect(config).toMatchObject({ mode: 'nftables', nftables: { masqueradeAll: true } })
    expect(config).not.toHaveProperty('featureGates')
  })

  it('listens on IPv6 where services are there first', () => {
    expect(kubeProxyConfiguration(withRanges(['fd01::/48'], ['fd02::/112'])).bindAddress).toBe('::')
  })
})

describe('a node', () => {
  it.each([
    [['master'], ['node-role.kubernetes.io/control-plane:NoSchedule'], ['control-plane']],
    [['master', 'worker'], [], ['control-plane', 'worker']],
    [['worker'], [], ['worker']],
  ] as const)('with the roles %s has the taints %s and the roles %s', (roles, taints, shown) => {
    expect(nodeTaints({ roles, taints: [] }).map(({ key, effect }) => `${key}:${effect}`)).toEqual(taints)
    const labels = Object.keys(nodeLabels({ roles, labels: { disk: 'ssd' } }))
    expect(labels).toContain('disk')
    expect(labels.filter((key) => key.startsWith('node-role')).map((key) => key.split('/')[1])).toEqual(shown)
  })

  it('is known by an address of each family pods have', () => {
    const both = { internalAddresses: ['2001:db8::1', '192.0.2.1'] }
    expect(nodeAddresses(withRanges(['10.1.0.0/16'], ['10.2.0.0/16']), both)).toEqual(['192.0.2.1'])
    expect(nodeAddresses(withRanges(['10.1.0.0/16', 'fd01::/48'], ['10.2.0.0/16', 'fd02::/112']), both)).toEqual([
      '192.0.2.1',
      '2001:db8::1',
    ])
    expect(nodeAddresses(withRanges(['fd01::/48'], ['fd02::/112']), { internalAddresses: ['192.0.2.1'] })).toEqual(['192.0.2.1'])
  })
})
