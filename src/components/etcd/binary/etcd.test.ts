import { describe, expect, it } from 'vitest'
import { conforms, Subject } from '../../../../test/conformance/conforms.ts'
import { clusterOf, smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { type Cluster, hostsOf } from '../../../config/index.ts'
import { defaultLimits } from '../../../engine/index.ts'
import { etcd } from './index.ts'

/** Three members: on the masters, or on hosts of their own. */
function three(where: 'masters' | 'own hosts', tuning = ''): { readonly cluster: Cluster; readonly hosts: ReturnType<typeof hostsOf> } {
  const roles = where === 'masters' ? 'master: ["node[1:3]"], worker: [node4]' : 'etcd: ["node[1:3]"], master: [node4], worker: [node4]'
  const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
${[1, 2, 3, 4].map((n) => `  - {name: node${n}, address: 192.0.2.${n}, privateKeyPath: ~/.ssh/id_ed25519}`).join('\n')}
  roleGroups: {${roles}}
  controlPlaneEndpoint: {internalLoadbalancer: ${where === 'masters' ? 'haproxy' : '""'}}
  etcd: {version: v3.6.5${tuning}}`)
  return { cluster, hosts: hostsOf(cluster).filter((host) => host.roles.includes('etcd')) }
}

conforms(etcd, { ...smallCluster(), os: ['rocky-9'] })
conforms(etcd, { ...three('own hosts'), os: ['debian-12'] })

const members = ['node1', 'node2', 'node3']
const onMasters = three('masters')

/** Three members that are up, to try things on. */
const withThree = (look: (rehearsal: Rehearsal, subject: Subject) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (directory) => {
    const subject = new Subject(etcd, onMasters, 'debian-12', directory)
    await look(await subject.created(), subject)
  })

const unitOn = (rehearsal: Rehearsal, name: string) => rehearsal.machines.get(name)?.state.units.get('etcd.service')
const argumentsOn = (rehearsal: Rehearsal, name: string): string => unitOn(rehearsal, name)?.process?.argv.join(' ') ?? ''
const pids = (rehearsal: Rehearsal) => members.map((name) => unitOn(rehearsal, name)?.process?.pid)
const changesOn = (rehearsal: Rehearsal, what: string) =>
  members.map((name) => rehearsal.machines.get(name)?.mutations.filter((change) => change.what === what).length)

/** The same machines, wanted otherwise. */
const wantOtherwise = (rehearsal: Rehearsal, { cluster }: { cluster: Cluster }): void => void Object.assign(rehearsal, { cluster })

const squatter = {
  pid: 812,
  name: 'squatter',
  argv: ['/usr/sbin/squatter'],
  binary: null,
  user: 'root',
  listens: [{ protocol: 'tcp', address: '0.0.0.0', port: 2380 }],
} as const

const takePort = (rehearsal: Rehearsal, name: string): void =>
  rehearsal.machines.get(name)?.meddle((state) => ({ ...state, processes: [squatter] }))
const freePort = (rehearsal: Rehearsal, name: string): void =>
  rehearsal.machines.get(name)?.meddle((state) => ({ ...state, processes: [] }))

describe('three members', () => {
  it('form one cluster, and run as their own user with their own data', () =>
    withThree(async (rehearsal) => {
      expect(rehearsal.simulated.state.members.map(({ name, published }) => [name, published])).toEqual(members.map((name) => [name, true]))
      expect(changesOn(rehearsal, 'services.start')).toEqual([1, 1, 1])
      expect(changesOn(rehearsal, 'services.stop')).toEqual([0, 0, 0])
      const [data, key] = await rehearsal.world.runner('node1').inspect([
        { kind: 'file', path: '/var/lib/etcd' },
        { kind: 'file', path: '/etc/etcd/pki/server.key' },
      ])
      expect(data).toMatchObject({ mode: '0700', owner: 'etcd:etcd' })
      expect(key).toMatchObject({ mode: '0600', owner: 'etcd:etcd' })
    }))

  it('come up also where only one step runs at a time', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(etcd, onMasters, 'debian-12', directory)
      const report = await (await subject.rehearsal()).run(subject.create, { limits: { ...defaultLimits, total: 1 } })
      expect(report.errors).toEqual([])
    }))

  it('are started together when all of them are down', () =>
    withThree(async (rehearsal, subject) => {
      for (const name of members) await rehearsal.world.runner(name).services.stop('etcd')
      expect((await rehearsal.run(subject.create)).errors).toEqual([])
      expect(rehearsal.simulated.state.members.every(({ published }) => published)).toBe(true)
    }))

  it('say which of them does not come up, and why', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(etcd, onMasters, 'debian-12', directory)
      const rehearsal = await subject.rehearsal()
      takePort(rehearsal, 'node3')
      const report = await rehearsal.run(subject.create)
      expect(report.errors).toHaveLength(1)
      expect(report.errors[0]).toMatchObject({
        code: 'KX_ETCD_MEMBER',
        where: { host: 'node3' },
        params: { member: 'node3' },
        seen: expect.stringContaining('listen tcp 192.0.2.3:2380: bind: address already in use'),
      })
      expect(unitOn(rehearsal, 'node1')?.active).toBe('active')
      freePort(rehearsal, 'node3')
      rehearsal.machines.get('node3')?.settle()
      expect((await rehearsal.run(subject.create, { resume: true, keepRunId: true })).errors).toEqual([])
    }))

  it('restart one after another when their settings change, each after all answer', () =>
    withThree(async (rehearsal, subject) => {
      const before = pids(rehearsal)
      wantOtherwise(rehearsal, three('masters', ', quotaBackendBytes: 4294967296'))
      rehearsal.events.length = 0
      expect((await rehearsal.run(subject.create)).errors).toEqual([])
      for (const name of members) expect(argumentsOn(rehearsal, name)).toContain('--quota-backend-bytes=4294967296')
      expect(pids(rehearsal).every((pid, i) => pid !== before[i])).toBe(true)
      const steps = rehearsal.events.flatMap((event) =>
        (event.type === 'step.started' || event.type === 'step.finished') && /refresh|whole/.test(event.node ?? '')
          ? [`${event.type} ${event.node}`]
          : [],
      )
      expect(steps).toEqual(
        members.flatMap((name) =>
          ['etcd.refresh', 'etcd.whole'].flatMap((step) => [`step.started etcd/${step}@${name}`, `step.finished etcd/${step}@${name}`]),
        ),
      )
    }))

  it('keep the old settings while one of them is away', () =>
    withThree(async (rehearsal, subject) => {
      await rehearsal.world.runner('node2').services.stop('etcd')
      takePort(rehearsal, 'node2')
      const before = pids(rehearsal)
      wantOtherwise(rehearsal, three('masters', ', quotaBackendBytes: 4294967296'))
      const report = await rehearsal.run(subject.create)
      expect(report.errors).toMatchObject([{ code: 'KX_ETCD_MEMBER', where: { host: 'node2' } }])
      expect([pids(rehearsal)[0], pids(rehearsal)[2]]).toEqual([before[0], before[2]])
    }))

  it('stop being restarted when one does not come back', () =>
    withThree(async (rehearsal, subject) => {
      wantOtherwise(rehearsal, three('masters', ', quotaBackendBytes: 4294967296'))
      takePort(rehearsal, 'node1')
      const [, second, third] = pids(rehearsal)
      const report = await rehearsal.run(subject.create)
      expect(report.errors).toMatchObject([{ code: 'KX_ETCD_NOT_WHOLE', where: { host: 'node1' } }])
      expect(report.errors[0]?.params.members).toContain('node1: ')
      expect(report.errors[0]?.seen).toContain('address already in use')
      expect(pids(rehearsal).slice(1)).toEqual([second, third])
    }))

  it('do not restart for new certificates, which they read by themselves', () =>
    withThree(async (rehearsal, subject) => {
      const before = pids(rehearsal)
      await rehearsal.world.runner('node1').files.write('/etc/etcd/pki/server.crt', 'old', { mode: '0644', owner: 'etcd:etcd' })
      expect((await rehearsal.run(subject.create)).errors).toEqual([])
      expect(await rehearsal.world.runner('node1').files.read('/etc/etcd/pki/server.crt')).toContain('BEGIN CERTIFICATE')
      expect(pids(rehearsal)).toEqual(before)
    }))

  it('leave their data and its owner when they are deleted, unless asked not to', () =>
    withThree(async (rehearsal, subject) => {
      const run = { id: 'delete', fence: 9, purgeData: false, skipChecks: [] }
      expect((await rehearsal.run(subject.remove, { run })).errors).toEqual([])
      const [data, user, program] = await rehearsal.world.runner('node1').inspect([
        { kind: 'file', path: '/var/lib/etcd/member/snap/db' },
        { kind: 'user', name: 'etcd' },
        { kind: 'file', path: '/usr/local/bin/etcd' },
      ])
      expect([data.type, user !== null, program.type]).toEqual(['file', true, 'absent'])
    }))
})
