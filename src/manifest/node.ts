import type { Cluster, ClusterHost } from '../config/index.ts'

/** A taint as Kubernetes writes it. */
export type Taint = { readonly key: string; readonly value?: string; readonly effect: string }

const controlPlane = 'node-role.kubernetes.io/control-plane'

/** Keeps workloads off a master that is not also a worker. */
export const controlPlaneTaint: Taint = { key: controlPlane, effect: 'NoSchedule' }

const isMaster = ({ roles }: Pick<ClusterHost, 'roles'>): boolean => roles.includes('master')
const isWorker = ({ roles }: Pick<ClusterHost, 'roles'>): boolean => roles.includes('worker')

/** The taints a node is to have. */
export function nodeTaints(host: Pick<ClusterHost, 'roles' | 'taints'>): readonly Taint[] {
  const own = host.taints.map(({ key, value, effect }) => ({ key, ...(value === '' ? {} : { value }), effect }))
  return [...(isMaster(host) && !isWorker(host) ? [controlPlaneTaint] : []), ...own]
}

/** The labels a node is to have: its roles, and the user's. */
export function nodeLabels(host: Pick<ClusterHost, 'roles' | 'labels'>): Readonly<Record<string, string>> {
  return {
    ...(isMaster(host) ? { [controlPlane]: '' } : {}),
    ...(isMaster(host) && !isWorker(host) ? { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } : {}),
    ...(isWorker(host) ? { 'node-role.kubernetes.io/worker': '' } : {}),
    ...host.labels,
  }
}

/** The addresses a node is known by: the first of each family that pods have, in the order of their ranges. */
export function nodeAddresses({ spec }: Cluster, { internalAddresses }: Pick<ClusterHost, 'internalAddresses'>): readonly string[] {
  const isSix = (text: string): boolean => text.includes(':')
  const own = spec.network.kubePodsCIDR.flatMap((range) => internalAddresses.find((address) => isSix(address) === isSix(range)) ?? [])
  return own.length === 0 ? internalAddresses.slice(0, 1) : own
}
