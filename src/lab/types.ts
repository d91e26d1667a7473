/** What may be asked of one host; a small host really is small and also looks small in /proc. */
export interface HostOptions {
  readonly name?: string
  readonly memoryMiB?: number
  readonly cpus?: number
  /** Reachable only through the lab's first host. */
  readonly private?: boolean
}

/** What may be asked of a lab. */
export interface LabOptions {
  readonly name?: string
  /** A number of ordinary hosts, or one entry a host. */
  readonly hosts?: number | readonly HostOptions[]
  /** The process the lab belongs to: once it is dead the lab is a leftover that {@link LabOwner} lets a sweep recognise. */
  readonly owner?: LabOwner
}

/** A process, told apart from a later one with the same pid by its start time. */
export interface LabOwner {
  readonly pid: number
  readonly startTime: string
}

/** The two networks of a lab: `lab`, where kubexm runs, and `private`, whose only door is the jump host. */
export type NetworkName = 'lab' | 'private'

/** One network link of a host. */
export interface Leg {
  readonly network: NetworkName
  readonly link: string
  readonly ipv4: string
  readonly ipv6: string
}

/** What is kept on disk about a host. */
export interface HostRecord {
  readonly name: string
  readonly index: number
  readonly uuid: string
  readonly legs: readonly Leg[]
  readonly memoryMiB?: number
  readonly cpus?: number
  /** Its network is cut: kept here because a reboot must not heal it. */
  readonly cut: boolean
}

/** What is kept on disk about a lab. */
export interface LabRecord {
  readonly name: string
  readonly rootImage: string
  readonly createdAt: string
  readonly owner?: LabOwner
  readonly nextIndex: number
  readonly hosts: readonly HostRecord[]
}

/** The life of a host. `failed` is a host that should run and does not. */
export type HostState = 'preparing' | 'booting' | 'running' | 'off' | 'failed'

/** What the supervisor tells about a host, in a file that outlives it. */
export interface HostLife {
  readonly state: HostState
  /** How often it was started, reboots included. */
  readonly boots: number
  readonly nspawn?: number
  /** The host's pid 1, as the machine numbers it. */
  readonly leader?: number
  readonly why?: string
}

/** A host as `lab status` shows it. */
export interface HostStatus extends HostLife {
  readonly name: string
  readonly ipv4: string
  readonly ipv6: string
  readonly network: NetworkName
  readonly cut: boolean
  readonly machineId: string
}

/** A lab as `lab status` shows it. */
export interface LabStatus {
  readonly name: string
  readonly supervisor: 'running' | 'gone'
  readonly stateDir: string
  readonly netns: string
  readonly memoryBytes: number | null
  readonly owner?: LabOwner
  readonly hosts: readonly HostStatus[]
}

/** What `labUp` tells while it works. */
export type LabProgress =
  | { readonly type: 'tools'; readonly packages: readonly string[] }
  | { readonly type: 'root-image'; readonly line: string }
  | { readonly type: 'host'; readonly host: string; readonly state: HostState }

/** Receives the progress of a lab command. */
export type OnProgress = (progress: LabProgress) => void
