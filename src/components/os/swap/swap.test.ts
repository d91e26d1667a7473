import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { swap } from './index.ts'
import { isSwap } from './templates.ts'

const scenario = {
  ...oneHost(),
  machine: {
    swapAreas: [
      { path: '/swap.img', sizeMiB: 2048 },
      { path: '/dev/vda2', sizeMiB: 1024 },
    ],
  },
}

conforms(swap, scenario)

conforms(swap, {
  ...scenario,
  os: ['debian-12'],
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      await on.files.write(
        '/etc/systemd/system/zramswap.service',
        '[Service]\nExecStart=/bin/sleep 1\n[Install]\nWantedBy=multi-user.target\n',
        {
          mode: '0644',
        },
      )
      await on.services.reloadUnits()
      await on.services.enable('zramswap.service')
      await on.services.start('zramswap.service')
    }),
})

describe('swap', () => {
  it('is off now and after a reboot, and fstab still says what it was', () =>
    withCreated(swap, scenario, 'debian-12', async ({ machines }) => {
      for (const machine of machines.values()) {
        expect(machine.state.swap).toEqual([])
        machine.reboot()
        expect(machine.state.swap).toEqual([])
        expect(await machine.runner().files.read('/etc/fstab')).toBe(`/dev/vda1 / ext4 defaults 0 1
# kubexm: /swap.img none swap sw 0 0
# kubexm: /dev/vda2 none swap sw 0 0
`)
      }
    }))

  it('is left alone where there is none', () =>
    withCreated(swap, oneHost(), 'debian-12', async (rehearsal) => {
      expect(rehearsal.mutations()).toBe(0)
    }))

  it.each([
    ['/swap.img none swap sw 0 0', true],
    ['UUID=ab\tswap\tswap\tdefaults\t0\t0', true],
    ['  /dev/sda2 none swap sw', true],
    ['# /dev/sda2 none swap sw 0 0', false],
    ['#/dev/sda2 none swap sw 0 0', false],
    ['/dev/sda1 /swap ext4 defaults 0 1', false],
    ['', false],
  ])('is known by its line in fstab: %s', (line, expected) => {
    expect(isSwap(line)).toBe(expected)
  })
})
