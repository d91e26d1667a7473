import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { smallCluster } from '../../../../test/support/clusters.ts'
import { packageModel } from '../../../simulation/index.ts'
import { timeSync } from './index.ts'
import { chronyConf } from './templates.ts'

const scenario = smallCluster('system: {ntpServers: [ntp.example.com, 2.pool.ntp.org, node1]}')

conforms(timeSync, { ...scenario, hosts: scenario.hosts.slice(0, 2) })
const client = { ...scenario, hosts: scenario.hosts.slice(2) }
// The time service that Debian comes with makes room, keeps its configuration, and comes back.
const timesyncd = packageModel('252', {
  binaries: ['/usr/lib/systemd/systemd-timesyncd'],
  services: [{ unit: 'systemd-timesyncd.service', exec: '/usr/lib/systemd/systemd-timesyncd' }],
  files: { '/etc/systemd/timesyncd.conf': '[Time]\n' },
})
conforms(timeSync, {
  ...client,
  os: ['debian-12'],
  machine: { packages: { 'systemd-timesyncd': timesyncd } },
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      await on.packages.install(['systemd-timesyncd'])
      await on.files.write('/etc/systemd/timesyncd.conf', '[Time]\nNTP=ours.example\n', { mode: '0644' })
    }),
})
// A chrony that ran before kubexm runs again with the file it had.
conforms(timeSync, {
  ...client,
  os: ['rocky-9'],
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      await on.packages.install(['chrony'])
      await on.services.enable('chronyd')
      await on.services.start('chronyd')
      await on.files.write('/etc/chrony.conf', 'server ours.example\n', { mode: '0640' })
    }),
})

describe('the time', () => {
  it.each([
    ['debian-12', '/etc/chrony/chrony.conf'],
    ['rocky-9', '/etc/chrony.conf'],
  ] as const)('comes from every server but oneself on %s', (os, path) =>
    withCreated(timeSync, scenario, os, async ({ machines }) => {
      const texts = await Promise.all([...machines.values()].map((machine) => machine.runner().files.read(path)))
      const sources = texts.map((text) => text?.split('\n').filter((line) => /^(server|pool|allow|local)/.test(line)))
      const outside = ['server ntp.example.com iburst', 'pool 2.pool.ntp.org iburst']
      expect(sources).toEqual([
        [...outside, 'local stratum 10 orphan', 'allow 192.0.2.2', 'allow 192.0.2.3'],
        [...outside, 'server 192.0.2.1 iburst'],
        [...outside, 'server 192.0.2.1 iburst'],
      ])
    }),
  )

  it('is told in one file', async () => {
    const conf = chronyConf({ sources: ['ntp.example.com'], clients: ['192.0.2.2'], drift: '/var/lib/chrony/drift' })
    await expect(conf).toMatchFileSnapshot('golden/chrony.conf')
  })
})
