import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { selinux } from './index.ts'
import { enforces, permissive } from './templates.ts'

const scenario = oneHost()

conforms(selinux, { ...scenario, os: ['rocky-9', 'openeuler-22.03'] })

describe('SELinux', () => {
  it('is permissive now and after a reboot, and its config still says what it was', () =>
    withCreated(selinux, scenario, 'rocky-9', async ({ machines }) => {
      for (const machine of machines.values()) {
        expect(machine.state.selinux).toBe('permissive')
        machine.reboot()
        expect(machine.state.selinux).toBe('permissive')
        expect(await machine.runner().files.read('/etc/selinux/config')).toContain('# kubexm: SELINUX=enforcing\n')
      }
    }))

  it.each([
    ['SELINUX=enforcing', true],
    ['  SELINUX = enforcing', true],
    ['SELINUX=permissive', false],
    ['SELINUX=disabled', false],
    ['#SELINUX=enforcing', false],
    ['SELINUXTYPE=targeted', false],
  ])('knows a line that enforces: %s', (line, expected) => {
    expect(enforces(line)).toBe(expected)
    expect(permissive(`# config\n${line}\n`)).toBe(expected ? 'SELINUX=permissive' : null)
  })
})
