import { sha256 } from '../util/hash.ts'
import type { Clock, Millis } from '../util/time.ts'
import type { SimulatedCluster } from './cluster.ts'
import { standardDaemons } from './daemons.ts'
import type { Faults, Mutation } from './faults.ts'
import type { LocalFiles } from './local-files.ts'
import { type PackageModel, stockPackages } from './package-universe.ts'
import { type OsName, type OsProfile, osProfiles } from './profile.ts'
import type { ProgramTable } from './program.ts'
import type { DaemonModel, Machine, Process } from './state.ts'

/** One call to a host: its kind, its object, and how many bytes travel with it. */
export interface Call extends Mutation {
  readonly bytes: number
}

/** What a simulated host is like; everything has a sensible default. */
export interface HostOptions {
  readonly name?: string
  readonly os?: OsName | OsProfile
  readonly arch?: string
  readonly cpus?: number
  readonly memoryMiB?: number
  readonly diskMiB?: number
  readonly swapAreas?: Machine['swapAreas']
  readonly address?: string
  readonly otherAddresses?: readonly string[]
  readonly virtualization?: string
  readonly user?: string
  readonly clockOffsetMs?: number
  readonly internet?: boolean
  /** Programs that run already, for instance something that holds a port. */
  readonly processes?: readonly Process[]
  /** Packages the repositories offer besides the stock ones. */
  readonly packages?: Readonly<Record<string, PackageModel>>
  /** How started programs behave, besides the standard ones. */
  readonly daemons?: Readonly<Record<string, DaemonModel>>
  readonly programs?: ProgramTable
  readonly faults?: Faults
  readonly localFiles?: LocalFiles
  readonly cluster?: SimulatedCluster
  /** Gives the host its time and lets calls take time; without one every call is immediate and the time stands still. */
  readonly clock?: Clock
  /** How long a call takes; needs a clock. */
  readonly latency?: (call: Call) => Millis
}

const systemBytes = 2 * 1024 ** 3

/** The machine of these options. */
export function describeMachine(options: HostOptions): Machine {
  const name = options.name ?? 'node1'
  const os: OsProfile = typeof options.os === 'object' ? options.os : osProfiles[options.os ?? 'debian-12']
  const id = sha256(`machine ${name}`)
  return {
    name,
    os,
    arch: options.arch ?? 'amd64',
    cpus: options.cpus ?? 4,
    memoryMiB: options.memoryMiB ?? 8192,
    diskBytes: (options.diskMiB ?? 100 * 1024) * 1024 * 1024,
    systemBytes: Math.min(systemBytes, ((options.diskMiB ?? 100 * 1024) * 1024 * 1024) / 2),
    swapAreas: options.swapAreas ?? [],
    address: options.address ?? '192.0.2.10',
    otherAddresses: options.otherAddresses ?? [],
    machineId: id.slice(0, 32),
    productUuid: [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20, 32)].join('-'),
    virtualization: options.virtualization ?? 'kvm',
    user: options.user ?? 'root',
    clockOffsetMs: options.clockOffsetMs ?? 0,
    cluster: options.cluster ?? null,
    packages: extended(stockPackages(os), options.packages),
    daemons: extended(standardDaemons, options.daemons),
  }
}

/** The shared table itself where nothing is added: thousands of hosts then hold one. */
function extended<V>(table: ReadonlyMap<string, V>, more: Readonly<Record<string, V>> | undefined): ReadonlyMap<string, V> {
  return more === undefined ? table : new Map([...table, ...Object.entries(more)])
}
