import type { Millis } from '../util/time.ts'
import type { ExecutionGraph } from './graph.ts'
import type { Node, NodeId } from './node.ts'

/** How long a node is expected to take: by past runs where there are any, else by its kind. */
export type Estimate = (node: Node) => Millis

/** Without history every step weighs the same: the path is then the longest chain. */
export const evenly: Estimate = (node) => (node.kind === 'step' ? 1 : 0)

/** The chain of nodes that decides how long the whole takes. */
export function criticalPath(
  graph: ExecutionGraph,
  estimate: Estimate = evenly,
): { readonly path: readonly NodeId[]; readonly length: Millis } {
  const best = new Map<NodeId, { readonly length: Millis; readonly before: NodeId | null }>()
  let end: NodeId | null = null
  for (const node of graph.nodes) {
    let length = 0
    let before: NodeId | null = null
    for (const need of node.needs) {
      const upTo = best.get(need)?.length ?? 0
      if (before === null || upTo > length) [length, before] = [upTo, need]
    }
    best.set(node.id, { length: length + estimate(node), before })
    if (end === null || length + estimate(node) > (best.get(end)?.length ?? 0)) end = node.id
  }
  const path: NodeId[] = []
  for (let at = end; at !== null; at = best.get(at)?.before ?? null) path.push(at)
  return { path: path.reverse(), length: end === null ? 0 : (best.get(end)?.length ?? 0) }
}
