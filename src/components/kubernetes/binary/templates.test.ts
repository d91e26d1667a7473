import { describe, expect, it } from 'vitest'
import { smallCluster, withRanges } from '../../../../test/support/clusters.ts'
import type { Cluster } from '../../../config/index.ts'
import { toYaml } from '../../../util/yaml.ts'
import {
  apiServerCommand,
  bootstrapBindings,
  controllerManagerCommand,
  kubeletCommand,
  kubeProxyCommand,
  type MasterFiles,
  schedulerCommand,
  unitOf,
} from './templates.ts'

const pair = (name: string) => ({ cert: `/pki/${name}.crt`, key: `/pki/${name}.key` })
const files: MasterFiles = {
  authority: pair('ca'),
  frontProxyAuthority: pair('front-proxy-ca'),
  serving: pair('apiserver'),
  kubeletClient: pair('apiserver-kubelet-client'),
  frontProxyClient: pair('front-proxy-client'),
  serviceAccount: { publicKey: '/pki/sa.pub', key: '/pki/sa.key' },
  etcd: { authority: '/pki/etcd/ca.crt', client: pair('apiserver-etcd-client') },
}

const clusterWith = (more = ''): Cluster =>
  smallCluster(`kubernetes:\n  type: kubexm\n  version: v1.34.4\n${more.replace(/^(?=.)/gm, '  ')}`).cluster

const node = { name: 'node1', internalAddress: '192.0.2.1', internalAddresses: ['192.0.2.1', '2001:db8::1'] }
const version = 'v1.34.4'

describe('units', () => {
  const cluster = clusterWith('apiServer: {audit: {enabled: true}, encryption: {enabled: true}}\nfeatureGates: {ContainerCheckpoint: true}')
  it.each([
    ['kube-apiserver', apiServerCommand(cluster, node, files), ['/var/log/kubernetes']],
    ['kube-controller-manager', controllerManagerCommand(cluster, '/etc/kubernetes/controller-manager.conf', files), []],
    ['kube-scheduler', schedulerCommand(cluster, '/etc/kubernetes/scheduler.conf'), []],
    ['kubelet', kubeletCommand(cluster, node, { config: '/var/lib/kubelet/config.yaml', kubeconfig: '/etc/kubernetes/kubelet.conf' }), []],
    ['kube-proxy', kubeProxyCommand(cluster, '/etc/kubernetes/kube-proxy.yaml'), []],
  ] as const)('%s', async (program, args, writes) => {
    await expect(unitOf({ program, version, args, writes })).toMatchFileSnapshot(`golden/${program}.service`)
  })
})

it('what the parts of the cluster are allowed', async () => {
  await expect(toYaml(...bootstrapBindings)).toMatchFileSnapshot('golden/bootstrap-rbac.yaml')
})

describe('arguments', () => {
  it('of the user win over all others, whatever they are about', () => {
    const cluster = clusterWith(`apiServer: {extraArgs: {advertise-address: 203.0.113.1, event-ttl: 2h}}
controllerManager: {extraArgs: {cluster-name: mine}}
scheduler: {extraArgs: ['--leader-elect=false']}
kubelet: {extraArgs: {node-ip: '::'}}
kubeProxy: {extraArgs: {v: 4}}`)
    expect(apiServerCommand(cluster, node, files)).toMatchObject({ 'advertise-address': '203.0.113.1', 'event-ttl': '2h' })
    expect(controllerManagerCommand(cluster, '/kc', files)['cluster-name']).toBe('mine')
    expect(schedulerCommand(cluster, '/kc')['leader-elect']).toBe('false')
    expect(kubeletCommand(cluster, node, { config: '/c', kubeconfig: '/k' })['node-ip']).toBe('::')
    expect(kubeProxyCommand(cluster, '/c').v).toBe('4')
  })

  it('of two address families name both ranges, both masks and both addresses', () => {
    const cluster = withRanges(['10.1.0.0/16', 'fd01::/48'], ['10.2.0.0/16', 'fd02::/112'])
    expect(apiServerCommand(cluster, node, files)['service-cluster-ip-range']).toBe('10.2.0.0/16,fd02::/112')
    expect(controllerManagerCommand(cluster, '/kc', files)).toMatchObject({
      'cluster-cidr': '10.1.0.0/16,fd01::/48',
      'node-cidr-mask-size-ipv4': '24',
      'node-cidr-mask-size-ipv6': '64',
    })
    expect(kubeletCommand(cluster, node, { config: '/c', kubeconfig: '/k' })['node-ip']).toBe('192.0.2.1,2001:db8::1')
  })

  it('of an etcd without TLS name no files for it', () => {
    const plain = apiServerCommand(clusterWith(), node, { ...files, etcd: { authority: null, client: null } })
    expect(Object.keys(plain).filter((name) => name.startsWith('etcd-'))).toEqual(['etcd-servers'])
  })

  it('hold no secret: a command line is there for everybody to read', () => {
    const values = Object.values(apiServerCommand(clusterWith('apiServer: {encryption: {enabled: true, encryptionKey: abc}}'), node, files))
    expect(values.join(' ')).not.toContain('abc')
  })
})

it('a unit of another version is another unit', () => {
  const unit = (of: string): string => unitOf({ program: 'kubelet', version: of, args: {} })
  expect(unit('v1.34.3')).not.toBe(unit('v1.34.4'))
})

it('the kubelet shares its mounts with the host: nothing of its unit gives it a namespace of its own', () => {
  expect(unitOf({ program: 'kubelet', version, args: {} })).not.toMatch(/^(Private|Protect|ReadWrite|ReadOnly|MountFlags)/m)
})
