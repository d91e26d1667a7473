import { describe, expect, it } from 'vitest'
import { rolesOf } from './cluster.ts'
import { type InitOptions, initConfig } from './init.ts'
import { parseCluster } from './parse.ts'

const addresses = (n: number) => Array.from({ length: n }, (_, i) => `10.0.0.${i + 1}`)

describe('config init', () => {
  it.each<[string, InitOptions, object]>([
    ['one host', { hosts: ['10.0.0.1'] }, { master: ['node1'], worker: ['node1'] }],
    ['two hosts', { hosts: ['a=10.0.0.1', 'b=10.0.0.2'] }, { master: ['a'], worker: ['b'] }],
    ['five hosts', { hosts: addresses(5) }, { master: ['node1', 'node2', 'node3'], worker: ['node4', 'node5'] }],
    ['binaries and nginx', { hosts: addresses(4), type: 'kubexm', highAvailability: 'nginx' }, { master: ['node1', 'node2', 'node3'] }],
    ['kube-vip', { hosts: addresses(3), highAvailability: 'kube-vip', vip: '10.0.0.99' }, { worker: ['node1', 'node2', 'node3'] }],
    [
      'keepalived',
      { hosts: addresses(6), highAvailability: 'kubexm-kh', vip: '10.0.0.99', loadbalancers: ['node5', 'node6'] },
      { loadbalancer: ['node5', 'node6'], worker: ['node4'] },
    ],
    ['your load balancer', { hosts: addresses(3), highAvailability: 'external', vip: '192.0.2.1' }, { loadbalancer: [] }],
    [
      'registry, etcd, runtime, plugin',
      {
        hosts: addresses(5),
        masters: ['node1'],
        etcd: ['node2'],
        registry: 'node5',
        runtime: 'docker',
        plugin: 'flannel',
        etcdType: 'kubexm',
      },
      { registry: ['node5'], etcd: ['node2'] },
    ],
    ['IPv6 names that need quotation marks', { hosts: ['yes=10.0.0.1'], name: 'x1' }, { master: ['yes'] }],
  ])('writes a valid, commented file: %s', (_, options, expected) => {
    const text = initConfig(options)
    const { cluster, errors } = parseCluster(text, 'c.yaml')
    expect(errors).toEqual([])
    expect(cluster && rolesOf(cluster)).toMatchObject(expected)
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=.kubexm/cluster.schema.json')
    expect(text).toContain('    # Version of Kubernetes.\n')
  })

  it.each<[string, InitOptions, RegExp]>([
    ['no hosts', { hosts: [] }, /no hosts/],
    ['kube-vip without an address', { hosts: addresses(3), highAvailability: 'kube-vip' }, /one error/],
    ['a master that is no host', { hosts: addresses(1), masters: ['node7'] }, /error/],
  ])('refuses %s', (_, options, expected) => expect(() => initConfig(options)).toThrow(expected))
})
