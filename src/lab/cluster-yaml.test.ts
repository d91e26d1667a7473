import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ClusterChoice, clusterYaml } from './cluster-yaml.ts'
import { labPaths } from './paths.ts'
import { shapeLab } from './shape.ts'
import type { LabOptions } from './types.ts'

const config = (hosts: LabOptions['hosts'], choice: ClusterChoice = {}) =>
  parse(clusterYaml(shapeLab('x', hosts === undefined ? {} : { hosts }, '/image'), labPaths('x', '/state'), choice))

describe('the config of a lab', () => {
  test.for<{ hosts: number; masters?: number; etcd: number; worker: string[]; balancer?: string }>([
    { hosts: 1, etcd: 1, worker: ['node1'] },
    { hosts: 2, etcd: 1, worker: ['node2'] },
    { hosts: 3, etcd: 3, worker: ['node2', 'node3'] },
    { hosts: 5, masters: 3, etcd: 3, worker: ['node4', 'node5'], balancer: 'haproxy' },
    { hosts: 3, masters: 3, etcd: 3, worker: ['node1', 'node2', 'node3'], balancer: 'haproxy' },
  ])('gives $hosts hosts with $masters masters their roles', ({ hosts, masters = 1, etcd, worker, balancer }) => {
    const { spec } = config(hosts, { masters })
    expect(spec.roleGroups.master).toHaveLength(masters)
    expect(spec.roleGroups.etcd).toHaveLength(etcd)
    expect(spec.roleGroups.worker).toEqual(worker)
    expect(spec.controlPlaneEndpoint.internalLoadbalancer).toBe(balancer)
  })

  test('leaves the last hosts out where they stand beside the cluster', () => {
    const { spec } = config(4, { outside: 1 })
    expect(spec.hosts.map(({ name }: { name: string }) => name)).toEqual(['node1', 'node2', 'node3'])
    expect(spec.roleGroups.worker).toEqual(['node2', 'node3'])
  })

  test('has a sudo password only for the user who needs one', () => {
    expect(config(1, { user: 'admin' }).spec.global).toMatchObject({ user: 'admin', sudoPassword: 'kubexm-lab' })
    expect(config(1, { user: 'ops' }).spec.global).not.toHaveProperty('sudoPassword')
  })

  test('reaches private hosts through the first one, which is a member only if others share its network', () => {
    expect(config([{}, { private: true }]).spec.hosts.map(({ name }: { name: string }) => name)).toEqual(['node2'])
    const mixed = config([{}, {}, { private: true }]).spec.hosts
    expect(mixed).toMatchObject([{ name: 'node1' }, { name: 'node2' }, { name: 'node3', bastion: { address: '10.77.0.11' } }])
    expect(mixed[1]).not.toHaveProperty('bastion')
  })
})
