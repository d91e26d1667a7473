// A run that lost its lease without noticing must not be able to change anything any more.
import { expect, it } from 'vitest'
import { defineModule } from '../../src/module/index.ts'
import { definePipeline } from '../../src/pipeline/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import { writeFile } from '../../src/step/generic/file.ts'
import { composeStep } from '../../src/step/index.ts'
import { defineTask } from '../../src/task/index.ts'
import { smallCluster } from '../support/clusters.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { Rehearsal } from '../support/rehearsal.ts'

const step = composeStep({
  name: 'demo.write',
  title: 'Write',
  timeout: 1000,
  ops: () => [writeFile({ path: '/etc/demo', content: 'x\n' })],
})
const task = defineTask({ name: 'demo', description: '', plan: (t) => t.on(t.hosts(), step) })
const pipeline = definePipeline({ name: 'demo', plan: (m) => m(defineModule({ name: 'demo', create: (plan) => plan(task) }), 'create') })

const runWith = (fence: number) => ({ run: { id: `run-${fence}`, fence, purgeData: true, skipChecks: [] } })

it('a host that has seen a newer run refuses an older one, and says which', () =>
  inTemporaryDirectory(async (directory) => {
    const { cluster, hosts } = smallCluster()
    const rehearsal = await Rehearsal.of(directory, cluster, hosts, 'debian-12')
    expect((await rehearsal.run(pipeline, runWith(7))).outcome).toBe('success')
    for (const machine of rehearsal.machines.values()) await machine.runner().files.remove('/etc/demo')
    const before = rehearsal.snapshots()

    const late = await rehearsal.run(pipeline, runWith(6))
    expect(late.errors.map((error) => error.code)).toContain('KX_FENCED')
    expect(late.errors[0]).toMatchObject({ exitCode: 15, params: { newer: 7, own: 6 } })
    expect(rehearsal.snapshots().map((snapshot) => snapshot.state.root)).toEqual(before.map((snapshot) => snapshot.state.root))

    expect((await rehearsal.run(pipeline, runWith(8))).outcome).toBe('success')
    expect(await rehearsal.machines.get('node1')?.runner().files.read(hostPaths.fence)).toBe('8\n')
  }))
