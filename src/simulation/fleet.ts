import type { Runner, Scope } from '../runner/index.ts'
import { SimulatedCluster } from './cluster.ts'
import { Faults, type Mutation } from './faults.ts'
import { SimulatedHost } from './host.ts'
import type { HostOptions } from './host-options.ts'
import { ProgramTable } from './program.ts'
import { standardPrograms } from './programs/index.ts'
import { diffSnapshots, type Snapshot } from './snapshot.ts'

/** What all hosts of a fleet have in common, and what is special about each. */
export interface FleetOptions extends Omit<HostOptions, 'name' | 'address' | 'cluster'> {
  /** Names, or hosts with what is special about them. */
  readonly hosts: readonly (string | (HostOptions & { readonly name: string }))[]
}

/** Many simulated hosts with one cluster, one count of changes and one set of faults. Hosts share all they have in common. */
export class SimulatedFleet {
  readonly cluster = new SimulatedCluster()
  readonly faults: Faults
  readonly programs: ProgramTable
  readonly #hosts = new Map<string, SimulatedHost>()

  constructor({ hosts, ...common }: FleetOptions) {
    this.faults = common.faults ?? new Faults()
    this.programs = common.programs ?? new ProgramTable(standardPrograms)
    for (const [i, entry] of hosts.entries()) {
      const own = typeof entry === 'string' ? { name: entry } : entry
      const shared = { ...common, faults: this.faults, programs: this.programs, cluster: this.cluster }
      const host = new SimulatedHost({ address: addressOf(i), ...shared, ...own })
      this.#hosts.set(own.name, host)
      this.cluster.attach(host)
    }
  }

  get hosts(): readonly SimulatedHost[] {
    return [...this.#hosts.values()]
  }

  host(name: string): SimulatedHost {
    const host = this.#hosts.get(name)
    if (host === undefined) throw new RangeError(`the fleet has no host ${name}`)
    return host
  }

  runner(name: string, scope?: Scope): Runner {
    return this.host(name).runner(scope)
  }

  /** Every change asked for, host by host. */
  mutations(): readonly (Mutation & { readonly host: string })[] {
    return this.hosts.flatMap((host) => host.mutations.map((mutation) => ({ host: host.name, ...mutation })))
  }

  /** Lets a while pass on every host, until nothing more comes up: what waits for another host gets its chance. */
  settle(): void {
    while (this.hosts.filter((host) => host.settle()).length > 0);
  }

  snapshot(): readonly Snapshot[] {
    return this.hosts.map((host) => host.snapshot())
  }
}

/** What differs between two snapshots of a fleet, each line with its host before it. */
export function diffFleets(a: readonly Snapshot[], b: readonly Snapshot[]): string[] {
  const after = new Map(b.map((snapshot) => [snapshot.host, snapshot]))
  return a.flatMap((before) => {
    const now = after.get(before.host)
    return now === undefined ? [`- host ${before.host}`] : diffSnapshots(before, now).map((line) => `${before.host}: ${line}`)
  })
}

/** A private address for the i-th host, none of which ends in 0 or 255. */
const addressOf = (i: number): string => `10.${Math.floor(i / 62_500)}.${Math.floor((i % 62_500) / 250)}.${(i % 250) + 2}`
