import { join } from 'node:path'
import type { Cluster } from '../../src/config/index.ts'
import { type ExecuteOptions, execute, openJournal, type Report, type World } from '../../src/engine/index.ts'
import type { RunEvent } from '../../src/event/index.ts'
import type { Pipeline } from '../../src/pipeline/define.ts'
import type { Pki } from '../../src/pki/index.ts'
import type { ExecutionGraph } from '../../src/plan/index.ts'
import { type Artifact, artifactsFor, builtInCatalogue, shapeOf } from '../../src/resource/index.ts'
import type { Runner } from '../../src/runner/index.ts'
import { type Host, planContext, workPaths } from '../../src/runtime/index.ts'
import {
  Faults,
  type HostOptions,
  memoryFiles,
  type OsName,
  SimulatedArtifacts,
  SimulatedCluster,
  SimulatedHost,
  SimulatedRegistries,
  type Snapshot,
} from '../../src/simulation/index.ts'
import { testKey } from './engine-run.ts'
import { MemoryJournals } from './memory-journal.ts'
import { plainOptions } from './run-options.ts'
import { inTimeOf, sharedPki } from './shared-pki.ts'
import { VirtualClock } from './virtual-clock.ts'

const needed = new WeakMap<Cluster, readonly Artifact[]>()

function neededBy(cluster: Cluster): readonly Artifact[] {
  if (cluster.spec === undefined) return []
  const known =
    needed.get(cluster) ??
    artifactsFor(
      shapeOf(cluster, () => 'amd64'),
      builtInCatalogue,
    )
  needed.set(cluster, known)
  return known
}

/** What a run is about where it is not about all hosts, or not about the same config. */
interface Wish {
  readonly only?: readonly string[]
  readonly cluster?: Cluster
}

/** A simulated fleet and a work directory: what a pipeline needs to run for real, in memory. */
export class Rehearsal {
  readonly directory: string
  readonly cluster: Cluster
  readonly hosts: readonly Host[]
  readonly machines: ReadonlyMap<string, SimulatedHost>
  readonly faults: Faults
  /** What the API server and etcd of the fleet hold. */
  readonly simulated: SimulatedCluster
  readonly events: RunEvent[] = []
  readonly pki: Pki
  /** What a bundle brings besides what the cluster needs. */
  readonly bundled: Artifact[] = []
  /** Every secret that came up: none of them may be told. */
  readonly secrets = new Set<string>()
  readonly #local = new SimulatedHost({ name: 'local' })
  readonly #made: SimulatedArtifacts
  readonly #journals = new MemoryJournals()
  #runs = 0

  private constructor(
    directory: string,
    cluster: Cluster,
    hosts: readonly Host[],
    machines: ReadonlyMap<string, SimulatedHost>,
    faults: Faults,
    simulated: SimulatedCluster,
    made: SimulatedArtifacts,
  ) {
    this.directory = directory
    this.cluster = cluster
    this.hosts = hosts
    this.machines = machines
    this.faults = faults
    this.simulated = simulated
    this.#made = made
    this.pki = sharedPki(cluster)
  }

  static async of(
    directory: string,
    cluster: Cluster,
    specs: readonly Omit<Host, 'facts'>[],
    os: OsName,
    machine: HostOptions = {},
  ): Promise<Rehearsal> {
    const faults = new Faults()
    const localFiles = memoryFiles()
    const shared = new SimulatedCluster()
    const machines = new Map(
      // A made-up host of a test may say no more than it needs.
      specs.map(({ name, address, internalAddresses = [] }) => {
        const otherAddresses = internalAddresses.filter((own) => own !== address)
        return [name, new SimulatedHost({ localFiles, cluster: shared, ...machine, name, address, otherAddresses, os, faults })]
      }),
    )
    for (const made of machines.values()) shared.attach(made)
    const hosts = await Promise.all(
      specs.map(async (spec) => ({ ...spec, facts: await (machines.get(spec.name) as SimulatedHost).runner().facts() }) as Host),
    )
    return new Rehearsal(directory, cluster, hosts, machines, faults, shared, new SimulatedArtifacts(localFiles))
  }

  /** Makes every machine as it is before kubexm comes; what is done here counts as no change. */
  async prepare(make: (on: Runner) => Promise<void>): Promise<void> {
    for (const machine of this.machines.values()) {
      await make(machine.runner())
      machine.mutations.length = 0
    }
    this.faults.clear()
  }

  /** The plan for all hosts, or for those a run is limited to; for the cluster as it was, or as a changed config has it. */
  plan(pipeline: Pipeline, { only = [], cluster = this.cluster }: Wish = {}): ExecutionGraph {
    const whole = planContext(cluster, this.hosts, workPaths(this.directory, 'test'), this.artifacts)
    return pipeline.plan(only.length === 0 ? whole : whole.narrow(only))
  }

  async run(pipeline: Pipeline, changed: Partial<ExecuteOptions> & { keepRunId?: boolean } & Wish = {}): Promise<Report> {
    const { only = [], cluster = this.cluster } = changed
    const journal = await openJournal(this.journalFile, testKey, this.#journals.keep)
    if (changed.keepRunId !== true) this.#runs++
    try {
      // Nothing on a simulated host takes time, so a wait that is in vain need not either.
      const clock = new VirtualClock()
      const options: ExecuteOptions = {
        ...plainOptions(journal, clock, (event) => this.events.push(event)),
        run: { id: `run-${this.#runs}`, fence: this.#runs, purgeData: true, skipChecks: [] },
        onSecret: (value) => this.secrets.add(typeof value === 'string' ? value : JSON.stringify(value)),
        ...changed,
      }
      const hosts = this.hosts.filter(({ name }) => only.length === 0 || only.includes(name))
      const world = { ...this.world, cluster, hosts, pki: inTimeOf(clock, this.pki) }
      return await clock.run(execute(this.plan(pipeline, { only, cluster }), world, options))
    } finally {
      await journal[Symbol.asyncDispose]()
    }
  }

  /** What the cluster needs; nothing where a test made its cluster up. */
  get artifacts(): readonly Artifact[] {
    return [...neededBy(this.cluster), ...this.bundled]
  }

  get world(): World {
    return {
      artifacts: this.artifacts,
      store: { find: (artifact) => this.#made.make(artifact), ensure: (artifact) => this.#made.make(artifact) },
      pki: this.pki,
      registries: new SimulatedRegistries(() => this.machines.values()),
      cluster: this.cluster,
      hosts: this.hosts,
      paths: workPaths(this.directory, 'test'),
      runner: (host) => {
        const machine = host === 'local' ? this.#local : this.machines.get(host)
        if (machine === undefined) throw new Error(`no simulated machine is called ${host}`)
        return machine.runner()
      },
    }
  }

  snapshots(): readonly Snapshot[] {
    return [...this.machines.values()].map((machine) => machine.snapshot())
  }

  mutations(): number {
    return [...this.machines.values()].reduce((sum, machine) => sum + machine.mutations.length, 0)
  }

  get journalFile(): string {
    return join(this.directory, 'state.jsonl')
  }

  journalText(): string {
    return this.#journals.text(this.journalFile)
  }
}
