import { type Cluster, hostsOf } from '../config/index.ts'
import type { PipelineName } from '../pipeline/index.ts'
import type { HostName } from '../util/where.ts'

/** Whether a run may go on without these hosts. */
export type MayLose = (hosts: ReadonlySet<HostName>) => boolean

/**
 * So many hosts may fail without ending the run, as long as a cluster can come of the rest: one master, and a majority of etcd.
 * To look at the others, or to take kubexm off them, needs neither.
 */
export function tolerance(cluster: Cluster, pipeline: PipelineName, most: number): MayLose {
  const makesCluster = pipeline !== 'delete-cluster' && pipeline !== 'preflight'
  return (hosts) => hosts.size <= most && (!makesCluster || keepsQuorum(cluster, hosts))
}

/**
 * How many hosts may fail where nobody says. A host that is gone for good must not keep the others from being cleaned: a delete goes
 * on without it, and says so in the end.
 */
export function usualLoss({ spec }: Cluster, pipeline: PipelineName, rollbackOnFailure: boolean): number {
  const goesOn = spec.global.ignoreErr || (pipeline === 'delete-cluster' && !rollbackOnFailure)
  return goesOn ? Number.POSITIVE_INFINITY : 0
}

function keepsQuorum(cluster: Cluster, lost: ReadonlySet<HostName>): boolean {
  const all = hostsOf(cluster)
  const left = (role: 'master' | 'etcd') => all.filter((host) => host.roles.includes(role) && !lost.has(host.name)).length
  const members = all.filter((host) => host.roles.includes('etcd')).length
  return left('master') > 0 && (members === 0 || left('etcd') > members / 2)
}
