import { expect, it } from 'vitest'
import { diffFleets, SimulatedFleet } from './index.ts'

it('makes hosts that share faults and differ where told', async () => {
  const fleet = new SimulatedFleet({
    os: 'rocky-9',
    hosts: ['a', { name: 'b', os: 'ubuntu-24.04', arch: 'arm64', address: '203.0.113.5' }],
  })
  const before = fleet.snapshot()
  expect(await fleet.runner('a').facts()).toMatchObject({ os: { id: 'rocky' }, arch: 'amd64', hostname: 'a' })
  expect(await fleet.runner('b').facts()).toMatchObject({
    os: { id: 'ubuntu' },
    arch: 'arm64',
    interfaces: [{}, { addresses: ['203.0.113.5/24'] }],
  })
  fleet.faults.failAt(2, 'before')
  await fleet.runner('a').files.write('/x', '1', { mode: '0644' })
  await expect(fleet.runner('b').files.write('/x', '1', { mode: '0644' })).rejects.toMatchObject({ where: { host: 'b' } })
  expect(fleet.mutations().map(({ host, what }) => `${host} ${what}`)).toEqual(['a files.write', 'b files.write'])
  expect(diffFleets(before, fleet.snapshot())).toEqual([expect.stringContaining('a: + file /x')])
  expect(() => fleet.host('c')).toThrow('no host c')
})

it('holds five thousand hosts in little room', async () => {
  const names = Array.from({ length: 5000 }, (_, i) => `node${i + 1}`)
  const started = process.cpuUsage()
  const fleet = new SimulatedFleet({ hosts: names })
  await Promise.all(
    names.map(async (name) => {
      const on = fleet.runner(name)
      await on.files.write(
        '/etc/systemd/system/app.service',
        '[Service]\nExecStart=/bin/sleep 1\n[Install]\nWantedBy=multi-user.target\n',
        { mode: '0644' },
      )
      await on.services.enable('app')
      await on.services.start('app')
    }),
  )
  const { user, system } = process.cpuUsage(started)
  expect(new Set(fleet.hosts.map((host) => host.state.machine.address)).size).toBe(5000)
  expect(fleet.hosts.every((host) => host.state.units.get('app.service')?.active === 'active')).toBe(true)
  // Processor time, not the clock on the wall: other work on the machine must not fail this.
  expect((user + system) / 1e6).toBeLessThan(10)
})
