import type { ClusterState } from './cluster-state.ts'
import type { DirectoryEntry } from './entry.ts'
import type { PackageModel } from './package-universe.ts'
import type { OsProfile } from './profile.ts'
import type { UnitDefinition } from './unit-file.ts'

/** A port a process listens on. */
export interface Listening {
  readonly protocol: 'tcp' | 'udp'
  /** `0.0.0.0`, `::`, or one address. */
  readonly address: string
  readonly port: number
}

/** A running program. */
export interface Process {
  readonly pid: number
  readonly name: string
  readonly argv: readonly string[]
  /** The file it runs, links followed; null for one the host was born with. */
  readonly binary: string | null
  readonly user: string
  readonly listens: readonly Listening[]
  /** Whether it has told the service manager that it is ready; one that does not say is at once. */
  readonly isReady?: (state: HostState) => boolean
}

/** A unit as the service manager holds it in memory: the definition is the one last read, which may be older than the file. */
export interface UnitRecord {
  readonly definition: UnitDefinition
  readonly active: 'active' | 'inactive' | 'failed'
  readonly process: Process | null
  /** What its program said when it last ended at once. */
  readonly lastWords?: string
}

export interface UserRecord {
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

/** A package as the package manager knows it. */
export interface InstalledPackage {
  readonly version: string
  readonly held: boolean
  /** Pulled in by another one, not asked for by name. */
  readonly auto: boolean
}

export interface Mount {
  readonly source: string
  readonly type: string
  readonly options: string
}

/**
 * All that is so on a host at one moment. It never changes: physics makes the next one from it, so that a snapshot is a reference,
 * a refused change leaves nothing half done, and thousands of hosts share what they have in common.
 */
export interface HostState {
  readonly machine: Machine
  readonly root: DirectoryEntry
  readonly units: ReadonlyMap<string, UnitRecord>
  readonly packages: ReadonlyMap<string, InstalledPackage>
  readonly users: ReadonlyMap<string, UserRecord>
  readonly groups: ReadonlyMap<string, number>
  /** Only the values that differ from the kernel's own. */
  readonly sysctls: ReadonlyMap<string, string>
  /** Loaded modules, without the built-in ones. */
  readonly modules: ReadonlySet<string>
  /** Areas in use, in the order they were turned on. */
  readonly swap: readonly string[]
  readonly mounts: ReadonlyMap<string, Mount>
  /** What programs leave in the kernel: `chain iptables-nft nat KUBE-SERVICES`, `link cni0`. */
  readonly traces: ReadonlySet<string>
  readonly selinux: 'enforcing' | 'permissive' | 'disabled' | 'absent'
  readonly ufwActive: boolean
  readonly hostname: string
  /** Processes no unit stands for. */
  readonly processes: readonly Process[]
  readonly nextPid: number
  /** The host's time in milliseconds, as of the change being made. */
  readonly now: number
  readonly internet: boolean
}

/** What of a host does not change while it is simulated: its hardware, its distribution, and how its programs behave. */
export interface Machine {
  readonly name: string
  readonly os: OsProfile
  readonly arch: string
  readonly cpus: number
  readonly memoryMiB: number
  readonly diskBytes: number
  /** What the operating system itself takes of the disk. */
  readonly systemBytes: number
  readonly swapAreas: readonly { readonly path: string; readonly sizeMiB: number }[]
  readonly address: string
  /** Further addresses of the host, such as an IPv6 one. */
  readonly otherAddresses: readonly string[]
  readonly machineId: string
  readonly productUuid: string | null
  readonly virtualization: string
  readonly user: string
  readonly clockOffsetMs: number
  /** Every package its repositories offer, by name. */
  readonly packages: ReadonlyMap<string, PackageModel>
  /** The API server and etcd of the fleet this host is part of; null where it is alone. */
  readonly cluster: ClusterAccess | null
  /** How a started program behaves, by the name of its file. */
  readonly daemons: ReadonlyMap<string, DaemonModel>
}

/** What a host can reach of the rest of its cluster. Assigning `state` is how it changes the cluster. */
export interface ClusterAccess {
  state: ClusterState
  /** Another host of the fleet; null where it is off or cut off. */
  peer(name: string): HostState | null
  /** Whoever has this address; null where nobody has, or nobody answers. */
  peerAt(address: string): HostState | null
}

/** What a program that a unit starts is given. */
export interface DaemonStart {
  readonly state: HostState
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly unit: string
  /** Whom it runs as: what only root may read is closed to others. */
  readonly user: string
}

/** What becomes of it: it stays up and listens, perhaps having changed the host, or it ends at once with a message. */
export type DaemonOutcome =
  | { readonly listens?: readonly Listening[]; readonly state?: HostState; readonly isReady?: (state: HostState) => boolean }
  | { readonly dies: string }

/** How one program behaves when it is started as a service. Programs without a model just stay up. */
export type DaemonModel = (start: DaemonStart) => DaemonOutcome

/** A map with one key set, or (undefined) taken out. */
export function withKey<K, V>(map: ReadonlyMap<K, V>, key: K, value: V | undefined): ReadonlyMap<K, V> {
  const next = new Map(map)
  if (value === undefined) next.delete(key)
  else next.set(key, value)
  return next
}

/** Every process of a host, those of units included. */
export function processesOf(state: HostState): readonly Process[] {
  const running = [...state.processes]
  for (const unit of state.units.values()) if (unit.process !== null) running.push(unit.process)
  return running
}
