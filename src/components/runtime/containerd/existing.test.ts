import { describe, expect, it } from 'vitest'
import { conforms, Subject, withCreated } from '../../../../test/conformance/conforms.ts'
import { oneHost, smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { simulatedBinary } from '../../../simulation/index.ts'
import { containerd } from './index.ts'
import { cgroupDriverIn } from './templates.ts'

const spec = (settings: string): string => `kubernetes:\n  version: v1.34.4\n  containerRuntime:\n    containerd: ${settings}`

/** A containerd of the distribution on the first host; the others have none. */
const withDistributionsOwn = async (rehearsal: Rehearsal): Promise<void> => {
  const [first] = rehearsal.machines.values()
  const on = first?.runner()
  await on?.files.write('/usr/bin/containerd', Buffer.from(simulatedBinary('containerd', 'amd64')).toString('latin1'), { mode: '0755' })
  await on?.files.write('/etc/containerd/config.toml', 'version = 2\n', { mode: '0644' })
  await on?.files.write(
    '/usr/lib/systemd/system/containerd.service',
    '[Service]\nExecStart=/usr/bin/containerd\n[Install]\nWantedBy=multi-user.target\n',
    { mode: '0644' },
  )
  await on?.services.reloadUnits()
  await on?.services.enable('containerd.service')
  await on?.services.start('containerd.service')
  await rehearsal.prepare(async () => {})
}

conforms(containerd, { ...oneHost(spec('{existing: adopt}')), os: ['debian-12'], before: withDistributionsOwn })

/** Programs of the same names that somebody has put there by hand. */
const withStrayPrograms = (rehearsal: Rehearsal): Promise<void> =>
  rehearsal.prepare(async (on) => {
    await on.files.write('/usr/local/bin/crictl', 'somebody else made this\n', { mode: '0711' })
    await on.files.link('/opt/cni/bin/bridge', '/usr/local/bin/crictl')
  })

conforms(containerd, { ...oneHost(spec('{}')), os: ['debian-12'], before: withStrayPrograms })

describe('a containerd that was there before', () => {
  it('is used as it is where the config says so', () =>
    withCreated(
      containerd,
      { ...smallCluster(spec('{existing: adopt}')), before: withDistributionsOwn },
      'debian-12',
      async ({ machines }) => {
        const [adopting, fresh] = [...machines.values()].map((machine) => machine.runner())
        expect(await adopting?.files.read('/etc/containerd/config.toml')).toBe('version = 2\n')
        expect(await adopting?.files.read('/etc/systemd/system/containerd.service')).toBeNull()
        expect(await adopting?.files.read('/etc/crictl.yaml')).toContain('containerd.sock')
        expect(await fresh?.files.read('/etc/systemd/system/containerd.service')).toContain('ExecStart=/usr/local/bin/containerd')
      },
    ))

  it('is never overwritten otherwise, also where preflight was told to accept it', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(containerd, { ...oneHost(spec('{}')), before: withDistributionsOwn }, 'debian-12', directory)
      const rehearsal = await subject.rehearsal()
      const report = await rehearsal.run(subject.create, {
        run: { id: 'r', fence: 1, purgeData: false, skipChecks: ['KX_FOREIGN_RUNTIME'] },
      })
      expect(report.errors.map(({ code }) => code)).toEqual(['KX_FOREIGN_RUNTIME'])
      expect([...rehearsal.machines.values()][0]?.mutations).toEqual([])
    }))

  it.each([
    ['{"config": {"containerd": {"runtimes": {"runc": {"options": {"SystemdCgroup": true}}}}}}', 'systemd'],
    ['{"config": {"containerd": {"runtimes": {"runc": {"options": null}}}}}', 'cgroupfs'],
    ['{"status": {}}', null],
  ])('tells its cgroup driver: %s', (info, driver) => {
    expect(cgroupDriverIn(info)).toBe(driver)
  })
})

describe('nerdctl', () => {
  it('is there only where it is asked for', async () => {
    const looks = async (settings: string): Promise<string | null | undefined> => {
      let found: string | null | undefined
      await withCreated(containerd, oneHost(spec(settings)), 'debian-12', async ({ machines }) => {
        found = await [...machines.values()][0]?.runner().files.read('/usr/local/bin/nerdctl')
      })
      return found
    }
    expect(await looks('{}')).toBeNull()
    expect(await looks('{nerdctl: true}')).toContain('nerdctl')
  })
})
