import { describe, expect, it } from 'vitest'
import { smallCluster } from '../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { Rehearsal } from '../../test/support/rehearsal.ts'
import { definePipeline } from '../pipeline/index.ts'
import { type StepNode, seq } from '../plan/index.ts'
import { diffSnapshots, type OsName } from '../simulation/index.ts'
import { finishModule, nodeModule, ownershipModule } from './index.ts'

const create = definePipeline({ name: 'create', plan: (m) => seq(m(nodeModule, 'create'), m(finishModule, 'create')) })
const remove = definePipeline({
  name: 'delete',
  plan: (m) => seq(m(finishModule, 'delete'), m(nodeModule, 'delete'), m(ownershipModule, 'create')),
})

const everything = `system:
  ntpServers: [ntp.example.com, node1]
  timezone: Asia/Shanghai
  debs: [nfs-common]
  rpms: [nfs-utils]
  preInstall: ["true"]
  postInstall: ["true"]
  modules: [rbd]
  sysctlParams: {vm.max_map_count: "262144"}
extra:
  resolves: [{address: 192.0.2.53}]
  hosts: [{domain: files.example.com, address: 192.0.2.50}]`

const rehearsalOf = (directory: string, spec: string, os: OsName): Promise<Rehearsal> => {
  const { cluster, hosts } = smallCluster(spec)
  return Rehearsal.of(directory, cluster, hosts, os, { swapAreas: [{ path: '/swap.img', sizeMiB: 1024 }] })
}

describe('preparing hosts', () => {
  it.each(['debian-12', 'ubuntu-24.04', 'rocky-9', 'centos-7', 'openeuler-22.03', 'kylin-v10'] satisfies OsName[])(
    'happens once, and delete leaves %s as it was',
    (os) =>
      inTemporaryDirectory(async (directory) => {
        const rehearsal = await rehearsalOf(directory, everything, os)
        await rehearsal.prepare((on) => on.system.setHostname('localhost'))
        const before = rehearsal.snapshots()
        expect((await rehearsal.run(create)).errors).toEqual([])
        const changes = rehearsal.mutations()
        expect(new Set((await rehearsal.run(create)).states.values())).toEqual(new Set(['satisfied']))
        expect(rehearsal.mutations()).toBe(changes)
        expect((await rehearsal.run(remove)).errors).toEqual([])
        expect(rehearsal.snapshots().flatMap((after, i) => diffSnapshots(before[i] ?? after, after))).toEqual([])
      }),
  )

  it('leaves the operating system alone where it is told to', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearsalOf(directory, everything.replace('system:', 'system:\n  skipConfigureOS: true'), 'debian-12')
      const steps = rehearsal.plan(create).nodes.filter((node): node is StepNode => node.kind === 'step')
      expect([...new Set(steps.map((node) => node.task))]).toEqual(['pre-install', 'hosts-file', 'post-install'])
    }))

  it('installs only once names resolve', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearsalOf(directory, everything, 'debian-12')
      const order = rehearsal.plan(create).nodes.map((node) => node.id)
      for (const first of ['hosts-file:end', 'dns:end']) expect(order.indexOf(first)).toBeLessThan(order.indexOf('packages:begin'))
    }))
})
