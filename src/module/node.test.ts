import { describe, expect, it } from 'vitest'
import { smallCluster } from '../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { Rehearsal } from '../../test/support/rehearsal.ts'
import { definePipeline } from '../pipeline/index.ts'
import { type StepNode, seq } from '../plan/index.ts'
import { packageFilesFor } from '../resource/index.ts'
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
      expect([...new Set(steps.map((node) => node.task))]).toEqual(['pre-install', 'hosts-file', 'post-install', 'user-access'])
    }))

  it.each([
    ['debian-12', 'debian-12', (name: string) => `${name}_1.0-1_amd64.deb`, 'conntrack'],
    ['rocky-9', 'rocky-9', (name: string) => `${name}-1.0-1.el9.x86_64.rpm`, 'conntrack-tools'],
  ] as const)('takes packages from the bundle where %s has no repository, and leaves none behind', (os, packagesFor, fileOf, conntrack) =>
    inTemporaryDirectory(async (directory) => {
      const { cluster, hosts } = smallCluster('')
      const rehearsal = await Rehearsal.of(directory, cluster, hosts, os, { internet: false })
      const before = rehearsal.snapshots()
      const names = ['socat', 'ebtables', 'ethtool', 'ipset', 'ipvsadm', 'nftables', 'chrony', conntrack]
      const entries = names
        .map((name) => `${packagesFor}/${fileOf(name)}`)
        .map((file) => ({ id: `package/${file}`, key: `package:${file}` }))
      const foreign = { id: 'package/suse-15/x', key: 'package:suse-15/x-1.x86_64.rpm' }
      const index = {
        version: 1 as const,
        cluster: 'test',
        entries: [...entries, foreign].map((entry) => ({ ...entry, sha256: '', size: 0 })),
      }
      expect((await rehearsal.run(create)).outcome).toBe('failed')
      expect((await rehearsal.run(remove)).errors).toEqual([])

      rehearsal.bundled.push(...packageFilesFor(index, rehearsal.hosts))
      expect(rehearsal.bundled).toHaveLength(names.length)
      expect((await rehearsal.run(create)).errors).toEqual([])
      for (const machine of rehearsal.machines.values())
        expect(machine.mutations.some(({ what, target }) => what === 'packages.installFrom' && target.includes(conntrack))).toBe(true)
      const changes = rehearsal.mutations()
      expect(new Set((await rehearsal.run(create)).states.values())).toEqual(new Set(['satisfied']))
      expect(rehearsal.mutations()).toBe(changes)

      // A delete needs no bundle.
      rehearsal.bundled.length = 0
      expect((await rehearsal.run(remove)).errors).toEqual([])
      expect(rehearsal.snapshots().flatMap((after, i) => diffSnapshots(before[i] ?? after, after))).toEqual([])
    }),
  )

  it('installs only once names resolve', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearsalOf(directory, everything, 'debian-12')
      const order = rehearsal.plan(create).nodes.map((node) => node.id)
      for (const first of ['hosts-file:end', 'dns:end']) expect(order.indexOf(first)).toBeLessThan(order.indexOf('packages:begin'))
    }))
})
