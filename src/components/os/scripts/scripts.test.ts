import { describe, expect, it } from 'vitest'
import { smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { defineModule } from '../../../module/index.ts'
import { definePipeline } from '../../../pipeline/index.ts'
import { toJson } from '../../../plan/index.ts'
import { preInstall } from './index.ts'

const pipeline = definePipeline({
  name: 'demo',
  plan: (module) => module(defineModule({ name: 'demo', create: (task) => task(preInstall) }), 'create'),
})

/** Fresh hosts with these commands in their config. */
const rehearsalOf = (directory: string, commands: readonly string[]): Promise<Rehearsal> => {
  const { cluster, hosts } = smallCluster(`system: {preInstall: ${JSON.stringify(commands)}}`)
  return Rehearsal.of(directory, cluster, hosts, 'debian-12')
}

/** What the commands wrote on each host. */
const written = (rehearsal: Rehearsal): Promise<readonly (string | null)[]> =>
  Promise.all([...rehearsal.machines.values()].map((machine) => machine.runner().files.read('/etc/log')))

describe('commands of the config', () => {
  it('run on every host in their order, and once', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearsalOf(directory, ['echo one >> /etc/log', 'echo "it is" two >> /etc/log'])
      expect((await rehearsal.run(pipeline)).errors).toEqual([])
      const again = await rehearsal.run(pipeline)
      expect(new Set(again.states.values())).toEqual(new Set(['satisfied']))
      expect(await written(rehearsal)).toEqual(Array(3).fill('one\nit is two\n'))
    }))

  it('run again when they say something else', () =>
    inTemporaryDirectory(async (directory) => {
      const first = await rehearsalOf(directory, ['echo one >> /etc/log'])
      await first.run(pipeline)
      const { cluster } = await rehearsalOf(directory, ['echo two >> /etc/log', 'echo one >> /etc/log'])
      Object.assign(first, { cluster })
      await first.run(pipeline)
      expect(await written(first)).toEqual(Array(3).fill('one\ntwo\n'))
    }))

  it('stop the run when they fail, say what they said, and are tried again', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearsalOf(directory, ['cat /etc/secret-file'])
      const report = await rehearsal.run(pipeline, { rollbackOnFailure: true })
      expect(report.outcome).toBe('failed')
      expect(report.errors[0]).toMatchObject({ code: 'KX_STEP_FAILED', seen: expect.stringContaining('No such file') })
      await rehearsal.prepare((on) => on.files.write('/etc/secret-file', 'x', { mode: '0600' }))
      expect((await rehearsal.run(pipeline)).outcome).toBe('success')
    }))

  it('are not part of the plan, and cannot be undone', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearsalOf(directory, ['echo hunter2'])
      const plan = JSON.stringify(toJson(rehearsal.plan(pipeline)))
      expect(plan).not.toContain('hunter2')
      expect(plan).toContain('only the author of the command knows how to undo it')
    }))
})
