import { createCluster } from './create-cluster.ts'
import type { Pipeline } from './define.ts'
import { deleteCluster } from './delete-cluster.ts'
import { preflight } from './preflight.ts'

/** Every operation by its name, as jobs and the command line know them. */
export const pipelines = { 'create-cluster': createCluster, 'delete-cluster': deleteCluster, preflight } as const satisfies Readonly<
  Record<string, Pipeline>
>

export type PipelineName = keyof typeof pipelines
export { definePipeline, type Pipeline } from './define.ts'
