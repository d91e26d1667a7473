import { expect, it } from 'vitest'
import type { Report } from '../../src/engine/index.ts'
import type { Task } from '../../src/task/index.ts'
import { type Scenario, Subject } from '../conformance/conforms.ts'
import { inTemporaryDirectory } from './engine-run.ts'
import type { Rehearsal } from './rehearsal.ts'

const objectsOf = (rehearsal: Rehearsal): readonly string[] => [...rehearsal.simulated.state.objects.keys()].sort()

/** What conforming says of hosts, said of the cluster: a task that is taken back or deleted leaves none of its objects. */
export function leavesNoObjects(task: Task, scenario: Scenario): void {
  it(`${task.name} takes its objects away with it`, () =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(task, scenario, scenario.os?.[0] ?? 'debian-12', directory)
      const whole = await subject.rehearsal()
      const before = objectsOf(whole)
      expect((await whole.run(subject.create)).errors).toEqual([])
      expect(objectsOf(whole)).not.toEqual(before)
      expect((await whole.run(subject.remove)).errors).toEqual([])
      expect(objectsOf(whole)).toEqual(before)
      const changes = await subject.changes()
      for (let n = 1; n <= changes; n++) {
        const broken = await subject.rehearsal()
        broken.faults.failAt(n, 'after')
        expect((await broken.run(subject.create, { rollbackOnFailure: true })).outcome, `change ${n}`).toBe('failed')
        expect(objectsOf(broken), `change ${n}`).toEqual(before)
      }
    }))
}

/** What goes wrong when a task is run on hosts where it cannot succeed. */
export const errorsOf = (task: Task, scenario: Scenario): Promise<Report['errors']> =>
  inTemporaryDirectory(async (directory) => {
    const subject = new Subject(task, scenario, scenario.os?.[0] ?? 'debian-12', directory)
    return (await (await subject.rehearsal()).run(subject.create)).errors
  })
