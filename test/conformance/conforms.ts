import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../src/config/index.ts'
import { defineModule } from '../../src/module/define.ts'
import { definePipeline, type Pipeline } from '../../src/pipeline/define.ts'
import { toJson, toText } from '../../src/plan/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import type { Host } from '../../src/runtime/index.ts'
import { diffSnapshots, type FaultPoint, type HostOptions, type OsName, type Snapshot } from '../../src/simulation/index.ts'
import type { Task } from '../../src/task/index.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { Rehearsal } from '../support/rehearsal.ts'
import { formsOf } from '../support/secrets.ts'

/** What a component is tried with. */
export interface Scenario {
  readonly cluster: Cluster
  readonly hosts: readonly Omit<Host, 'facts'>[]
  readonly os?: readonly OsName[]
  /** What the machines are like where it matters: swap, packages the repositories offer. */
  readonly machine?: HostOptions
  /** Makes the hosts as they are before kubexm comes: a file that is there already, a service that runs. */
  readonly before?: (rehearsal: Rehearsal) => void | Promise<void>
  /** Values that must not be seen in a plan, a journal or an event. */
  readonly secrets?: readonly string[]
}

/** The property of conforming, one by one, so that a test of the suite itself can see each of them fail. */
export const properties = {
  'the plan is the same every time': async (subject: Subject) => {
    const one = await subject.rehearsal()
    expect(JSON.stringify(toJson(one.plan(subject.create)))).toBe(JSON.stringify(toJson(one.plan(subject.create))))
    expect(one.plan(subject.create).nodes.length).toBeGreaterThan(0)
  },

  'a second run changes nothing and says so': async (subject: Subject) => {
    const rehearsal = await subject.created()
    const [before, changes] = [rehearsal.snapshots(), rehearsal.mutations()]
    const again = await rehearsal.run(subject.create)
    expect(again.outcome).toBe('success')
    expect(new Set(again.states.values())).toEqual(new Set(['satisfied']))
    expect(rehearsal.mutations()).toBe(changes)
    expect(differences(before, rehearsal.snapshots(), 'all')).toEqual([])
  },

  'create, then delete, leaves no trace': async (subject: Subject) => {
    const rehearsal = await subject.rehearsal()
    const before = rehearsal.snapshots()
    expect((await rehearsal.run(subject.create)).errors).toEqual([])
    expect(differences(before, rehearsal.snapshots(), 'theirs')).not.toEqual([])
    expect((await rehearsal.run(subject.remove)).errors).toEqual([])
    expect(differences(before, rehearsal.snapshots(), 'theirs')).toEqual([])
    expect(await owned(rehearsal)).toEqual([])
  },

  'a fault at every change rolls back to the start': async (subject: Subject) => {
    const total = await subject.changes()
    const undisturbed = (await subject.created()).snapshots()
    for (const point of ['before', 'noted', 'after', 'lost'] satisfies FaultPoint[]) {
      for (let n = 1; n <= total; n++) {
        const rehearsal = await subject.rehearsal()
        const before = rehearsal.snapshots()
        rehearsal.faults.failAt(n, point)
        const report = await rehearsal.run(subject.create, { rollbackOnFailure: true })
        // A change that got lost may be one that nothing depends on, such as a copy kept aside: success must mean that all is there.
        if (report.outcome === 'success' && point === 'lost') {
          expect(differences(undisturbed, rehearsal.snapshots(), 'theirs'), `${point} change ${n}`).toEqual([])
          continue
        }
        expect(report.outcome, `${point} change ${n}`).toBe('failed')
        expect(differences(before, rehearsal.snapshots(), 'theirs'), `${point} change ${n}`).toEqual([])
        expect(await owned(rehearsal), `${point} change ${n}`).toEqual([])
      }
    }
  },

  'killed at every change, a resumed run ends as an undisturbed one': async (subject: Subject) => {
    const total = await subject.changes()
    const undisturbed = (await subject.created()).snapshots()
    for (const point of ['before', 'noted', 'after'] as const) {
      for (let n = 1; n <= total; n++) {
        const rehearsal = await subject.rehearsal()
        const before = rehearsal.snapshots()
        rehearsal.faults.crashAt(n, point)
        await rehearsal.run(subject.create)
        rehearsal.faults.revive()
        const report = await rehearsal.run(subject.create, { resume: true, keepRunId: true })
        expect(report.errors, `killed ${point} change ${n}`).toEqual([])
        expect(differences(undisturbed, rehearsal.snapshots(), 'theirs'), `killed ${point} change ${n}`).toEqual([])
        await rehearsal.run(subject.remove)
        expect(differences(before, rehearsal.snapshots(), 'theirs'), `killed ${point} change ${n}, then deleted`).toEqual([])
      }
    }
  },

  'no secret is in plan, journal or events': async (subject: Subject) => {
    const rehearsal = await subject.created()
    const graph = rehearsal.plan(subject.create)
    const told = [JSON.stringify(toJson(graph)), toText(graph), rehearsal.journalText(), JSON.stringify(rehearsal.events)].join('\n')
    for (const secret of [...(subject.scenario.secrets ?? []), ...rehearsal.secrets])
      for (const form of formsOf(secret)) expect(told).not.toContain(form)
  },
} as const

/** Runs the whole suite on a task: what every component passes. */
export function conforms(task: Task, scenario: Scenario): void {
  describe.each(scenario.os ?? (['debian-12', 'rocky-9'] satisfies OsName[]))(`${task.name} conforms on %s`, (os) => {
    for (const [name, property] of Object.entries(properties)) {
      it(name, () => inTemporaryDirectory((directory) => property(new Subject(task, scenario, os, directory))), 120_000)
    }
  })
}

/** The hosts of a scenario once a task was run on them, to look at. */
export const withCreated = (task: Task, scenario: Scenario, os: OsName, look: (rehearsal: Rehearsal) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (directory) => look(await new Subject(task, scenario, os, directory).created()))

/** One task on one operating system, with fresh hosts whenever they are asked for. */
export class Subject {
  readonly scenario: Scenario
  readonly create: Pipeline
  readonly remove: Pipeline
  readonly #os: OsName
  readonly #directory: string
  #made = 0

  constructor(task: Task, scenario: Scenario, os: OsName, directory: string) {
    const module = defineModule({ name: 'conformance', create: (plan) => plan(task) })
    this.scenario = scenario
    this.create = definePipeline({ name: 'conformance-create', plan: (m) => m(module, 'create') })
    this.remove = definePipeline({ name: 'conformance-delete', plan: (m) => m(module, 'delete') })
    this.#os = os
    this.#directory = directory
  }

  async rehearsal(): Promise<Rehearsal> {
    const { cluster, hosts, machine } = this.scenario
    const made = await Rehearsal.of(`${this.#directory}/${this.#made++}`, cluster, hosts, this.#os, machine)
    await this.scenario.before?.(made)
    return made
  }

  async created(): Promise<Rehearsal> {
    const rehearsal = await this.rehearsal()
    const report = await rehearsal.run(this.create)
    expect(report.errors).toEqual([])
    expect(report.outcome).toBe('success')
    return rehearsal
  }

  /** How many changes an undisturbed run makes. */
  async changes(): Promise<number> {
    const total = (await this.created()).mutations()
    expect(total).toBeGreaterThan(0)
    return total
  }
}

/** What differs; `theirs` leaves out what kubexm keeps for itself, which goes with the cluster as a whole. */
function differences(before: readonly Snapshot[], after: readonly Snapshot[], which: 'all' | 'theirs'): readonly string[] {
  const all = before.flatMap((snapshot, i) => diffSnapshots(snapshot, after[i] as Snapshot))
  return which === 'all' ? all : all.filter((line) => !line.includes(hostPaths.root))
}

/** What the ledgers of the hosts still say is ours. */
async function owned(rehearsal: Rehearsal): Promise<readonly string[]> {
  const { readLedger } = await import('../../src/ledger/index.ts')
  const entries = await Promise.all([...rehearsal.machines.values()].map((machine) => readLedger(machine.runner())))
  return entries.flat().map((entry) => `${entry.kind} ${entry.id}`)
}
