import type { StepContext } from './context.ts'

/** Whether the run is about every host of the cluster, and not only about some of them. */
export const coversCluster = ({ cluster, hosts }: Pick<StepContext, 'cluster' | 'hosts'>): boolean =>
  hosts.length === cluster.spec.hosts.length
