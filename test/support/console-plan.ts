import { plannedGraph } from '../../src/app/jobs/graph.ts'
import { type Cluster, hostsOf, parseCluster } from '../../src/config/index.ts'
import { pipelines } from '../../src/pipeline/index.ts'
import { artifactsFor, builtInCatalogue, shapeOf } from '../../src/resource/index.ts'
import { planContext, workPaths } from '../../src/runtime/index.ts'
import { SimulatedFleet } from '../../src/simulation/index.ts'
import type { Graph, GraphNode } from '../../src/web/api/types.ts'

/** The cluster of a config that is valid. */
export function validCluster(text: string): Cluster {
  const { cluster, errors } = parseCluster(text, 'cluster.yaml')
  if (cluster === null) throw new Error(errors.map(({ problem }) => problem).join('; '))
  return cluster
}

/** The plan of a create, as the API gives it before anything has run. */
export async function createPlanOf(text: string): Promise<Graph> {
  const cluster = validCluster(text)
  const fleet = new SimulatedFleet({ hosts: hostsOf(cluster).map(({ name, address }) => ({ name, address })) })
  const hosts = await Promise.all(hostsOf(cluster).map(async (host) => ({ ...host, facts: await fleet.runner(host.name).facts() })))
  const artifacts = artifactsFor(
    shapeOf(cluster, () => 'amd64'),
    builtInCatalogue,
  )
  const context = planContext(cluster, hosts, workPaths('.', cluster.metadata.name), artifacts)
  const { criticalPath, ...plan } = plannedGraph(pipelines['create-cluster'].plan(context)) as unknown as {
    readonly pipeline: string
    readonly digest: string
    readonly criticalPath: readonly string[]
    readonly nodes: readonly Omit<GraphNode, 'state' | 'started_at' | 'ms' | 'error'>[]
  }
  const nodes = plan.nodes.map((node): GraphNode => ({ ...node, state: 'pending', started_at: null, ms: null, error: null }))
  return { ...plan, planned: true, seq: 0, critical_path: criticalPath, nodes }
}

/** The steps of a plan by task, in the order of the plan. */
export const stepsByTask = ({ nodes }: Graph): ReadonlyMap<string, readonly GraphNode[]> =>
  Map.groupBy(
    nodes.filter((node) => node.kind === 'step'),
    (node) => node.task,
  )
