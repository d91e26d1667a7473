import type { Drift } from '../../step/index.ts'

/** A host, and why it cannot be asked if it cannot. */
export interface HostStatus {
  readonly name: string
  readonly address: string
  readonly roles: readonly string[]
  readonly problem: string | null
}

/** An API server as it answers for itself. */
export interface ApiServerStatus {
  readonly host: string
  readonly url: string
  readonly version: string | null
  readonly problem: string | null
}

/** A member of etcd. What the member does not tell is null. */
export interface MemberStatus {
  /** Null for one that is not run by this cluster. */
  readonly host: string | null
  readonly endpoint: string
  readonly leader: boolean | null
  readonly version: string | null
  /** In bytes. */
  readonly dbSize: number | null
  readonly problem: string | null
}

/** A node as the API knows it, or a host that should be one. */
export interface NodeStatus {
  readonly name: string
  readonly ready: boolean
  /** False: cordoned. */
  readonly schedulable: boolean
  readonly roles: readonly string[]
  readonly version: string | null
  readonly address: string | null
  readonly runtime: string | null
  readonly problem: string | null
}

/** A pod of the system that is not up. */
export interface PodTrouble {
  readonly namespace: string
  readonly name: string
  readonly problem: string
}

/** A certificate on a host, or one that is kept on this machine. */
export interface CertificateStatus {
  readonly host: string
  readonly what: string
  /** Null for one that is kept on this machine. */
  readonly path: string | null
  readonly notAfter: Date | null
  readonly daysLeft: number | null
  /** Also that it should be made anew before long. */
  readonly problem: string | null
}

/** What has become of the things kubexm made on a host. */
export interface HostDrift {
  readonly host: string
  readonly looked: number
  readonly drifted: readonly Drift[]
  readonly problem: string | null
}

/** Many things of one sort, or why they could not be asked for. */
export interface Listed<T> {
  readonly items: readonly T[]
  readonly problem: string | null
}

/** Everything kubexm can tell of a cluster at one moment. Each part says what it saw, also where others saw nothing. */
export interface ClusterStatus {
  readonly cluster: string
  readonly type: string
  /** The version the config wants. */
  readonly version: string
  readonly endpoint: string
  readonly etcdType: string
  readonly at: Date
  readonly hosts: readonly HostStatus[]
  readonly apiServers: readonly ApiServerStatus[]
  readonly etcd: readonly MemberStatus[]
  readonly nodes: Listed<NodeStatus>
  /** Of the pods of the system those that are not up. */
  readonly pods: Listed<PodTrouble> & { readonly total: number }
  readonly certificates: readonly CertificateStatus[]
  readonly drift: readonly HostDrift[]
}

/** The parts of a status by name. */
export const statusParts = ['hosts', 'apiServers', 'etcd', 'nodes', 'pods', 'certificates', 'drift'] as const
export type StatusPart = (typeof statusParts)[number]

/** Whether there is nothing wrong with a part of the cluster. */
export function isWell(status: ClusterStatus, part: StatusPart): boolean {
  if (part === 'nodes' || part === 'pods') {
    const { items, problem } = status[part]
    return problem === null && items.every((item) => item.problem === null)
  }
  if (part === 'drift') return status.drift.every(({ problem, drifted }) => problem === null && drifted.length === 0)
  return status[part].every(({ problem }) => problem === null)
}

/** Whether there is nothing wrong with the cluster. */
export const isHealthy = (status: ClusterStatus): boolean => statusParts.every((part) => isWell(status, part))
