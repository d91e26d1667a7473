import { describe, expect, it } from 'vitest'
import { clusterOf } from '../../test/support/clusters.ts'
import { fail } from '../error/index.ts'
import { SimulatedHost } from '../simulation/index.ts'
import { gatherFleet } from './fleet.ts'
import { tolerance } from './tolerance.ts'

const threeMembers = () =>
  clusterOf(
    `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts: [1, 2, 3]
  roleGroups: {etcd: ["node[1:3]"], master: ["node[1:2]"], worker: [node3]}
  controlPlaneEndpoint: {internalLoadbalancer: haproxy}
  kubernetes: {version: v1.34.4}
`.replace('[1, 2, 3]', `[${[1, 2, 3].map((n) => `{name: node${n}, address: 192.0.2.${n}, password: x}`).join(', ')}]`),
  )

describe('going on without hosts', () => {
  it.each([
    { lost: ['node2'], most: 0, pipeline: 'create-cluster', may: false },
    { lost: ['node2'], most: 1, pipeline: 'create-cluster', may: true },
    { lost: ['node2', 'node3'], most: 1, pipeline: 'create-cluster', may: false },
    { lost: ['node2', 'node3'], most: 2, pipeline: 'create-cluster', may: false, why: 'one of three members is no majority' },
    { lost: ['node1', 'node2'], most: 9, pipeline: 'create-cluster', may: false, why: 'no master is left' },
    { lost: ['node1', 'node2'], most: 9, pipeline: 'delete-cluster', may: true },
    { lost: ['node1', 'node2'], most: 9, pipeline: 'preflight', may: true },
  ] as const)('$lost of three in $pipeline, $most at most: $may', ({ lost, most, pipeline, may }) => {
    expect(tolerance(threeMembers(), pipeline, most)(new Set(lost))).toBe(may)
  })

  const fleetWithout = async (unreachable: readonly string[], most: number) => {
    const cluster = threeMembers()
    let disposed = false
    const fleet = gatherFleet(
      cluster,
      { only: [], mayLose: tolerance(cluster, 'preflight', most) },
      async ({ name, address }) => {
        if (unreachable.includes(name)) throw fail('KX_CONNECT_REFUSED', { address, port: 22 })
        return new SimulatedHost({ name }).runner()
      },
      new SimulatedHost({ name: 'local' }).runner(),
      async () => {
        disposed = true
      },
    )
    return { fleet, disposed: () => disposed }
  }

  it('names all that cannot be reached, and closes what was opened', async () => {
    const { fleet, disposed } = await fleetWithout(['node1', 'node3'], 0)
    await expect(fleet).rejects.toMatchObject({ code: 'KX_HOSTS_UNREACHABLE', seen: expect.stringMatching(/node1: [\s\S]*node3: /) })
    expect(disposed()).toBe(true)
  })

  it('keeps a lost host in its place, without facts, and says why it cannot be used', async () => {
    const found = await (await fleetWithout(['node2'], 1)).fleet
    expect(found.hosts.map(({ name, facts }) => [name, facts.os.id])).toEqual([
      ['node1', 'debian'],
      ['node2', 'unknown'],
      ['node3', 'debian'],
    ])
    expect([...found.lost].map(([host, { code }]) => [host, code])).toEqual([['node2', 'KX_CONNECT_REFUSED']])
    expect(() => found.runner('node2')).toThrow(expect.objectContaining({ code: 'KX_CONNECT_REFUSED' }))
  })

  it('does not go on without all of them', async () => {
    await expect((await fleetWithout(['node1', 'node2', 'node3'], 9)).fleet).rejects.toMatchObject({ code: 'KX_HOSTS_UNREACHABLE' })
  })
})
