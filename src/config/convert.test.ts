import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { configText } from '../../test/support/config-text.ts'
import { convertConfig } from './convert.ts'

const kubekey = readFileSync(new URL('../../test/golden/config/kubekey.yaml', import.meta.url), 'utf8')

describe('a KubeKey v3 file', () => {
  const { text, lost, secrets, result } = convertConfig(kubekey, 'kk.yaml')

  it('becomes a valid config that says the same', () => {
    expect(result.errors).toEqual([])
    expect(result.warnings).toEqual([])
    expect(result.cluster?.spec).toMatchObject({
      roleGroups: { etcd: ['node1'], master: ['node1'], worker: ['node1', 'node2'] },
      kubernetes: {
        type: 'kubeadm',
        version: 'v1.32.4',
        autoRenewCerts: true,
        containerRuntime: { type: 'containerd' },
        kubelet: { extraArgs: { 'root-dir': '/var/lib/kubelet' } },
      },
      etcd: { type: 'kubexm' },
      dns: { nodelocaldns: { enabled: true } },
      network: { multus: { enabled: false } },
      addons: [{ name: 'nfs-client', type: 'helm', chart: { name: 'nfs-client-provisioner' } }],
    })
  })

  it('lists what has no counterpart, with its place', () => {
    expect(lost.map(({ line, path }) => `${line} ${path}`)).toEqual([
      '51 ',
      '32 spec.etcd.backupPeriod',
      '39 spec.network.calico.ipv4NatOutgoing',
      '45 spec.registry.bridgeIP',
    ])
    expect(text).toContain('#   line 45: spec.registry.bridgeIP')
  })

  it('does not write secrets out again', () => {
    expect(text).not.toContain('Qcloud')
    expect(secrets).toEqual([
      { path: 'spec.hosts[0].password', variable: 'KUBEXM_NODE1_PASSWORD' },
      { path: 'spec.hosts[1].password', variable: 'KUBEXM_NODE2_PASSWORD' },
    ])
  })
})

it.each<[string, string, string, unknown]>([
  ['an address without an internal load balancer is your own', 'address: ""', 'address: 192.168.0.100', 'external'],
  ['an internal load balancer stays', 'address: ""', 'address: ""', ''],
])('%s', (_, from, to, expected) => {
  const text = kubekey.replace('internalLoadbalancer: haproxy', expected === '' ? 'internalLoadbalancer: haproxy' : '').replace(from, to)
  expect(convertConfig(text, 'kk.yaml').result.cluster?.spec.controlPlaneEndpoint.externalLoadBalancer).toBe(expected)
})

it('rewrites other spellings of our own', () => {
  const { text, lost, result } = convertConfig(
    configText({ 'spec.loadBalancer': { mode: 'internal', internal: { type: 'nginx' } }, 'spec.controlPlaneEndpoint': undefined }),
    'c.yaml',
  )
  expect(lost).toEqual([])
  expect(text).toContain('internalLoadbalancer: nginx')
  expect(result.warnings).toEqual([])
})

it('says why a file cannot be converted', () => {
  expect(convertConfig('- a', 'c.yaml').result.errors.map(({ code }) => code)).toEqual(['KX_CONFIG_NOT_A_MAP'])
  expect(convertConfig('a: "b', 'c.yaml').lost.map(({ code }) => code)).toEqual(['KX_CONFIG_SYNTAX'])
})
