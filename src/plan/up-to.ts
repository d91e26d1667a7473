import { fail } from '../error/index.ts'
import { fragmentOf } from './fragment.ts'
import { type ExecutionGraph, seal } from './graph.ts'
import type { Node, NodeId } from './node.ts'

/**
 * The plan up to the end of a module: its nodes and all that they need. Nodes of the modules in `without` are left out where they only
 * come before: what they would have done is done by whoever needs it.
 */
export function upTo(graph: ExecutionGraph, module: string, without: readonly string[] = []): ExecutionGraph {
  const modules = [...new Set(graph.nodes.map((node) => node.module))]
  if (!modules.includes(module))
    throw fail('KX_USAGE', {
      what: `--until ${module}: the modules of this plan are ${modules.join(', ')}`,
      command: graph.pipeline.replace('-', ' '),
    })
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const wanted = new Set<NodeId>()
  const open = graph.nodes.filter((node) => node.module === module).map(({ id }) => id)
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (wanted.has(id)) continue
    wanted.add(id)
    open.push(...(byId.get(id)?.needs ?? []))
  }
  const stays = ({ id, module: of }: Node): boolean => wanted.has(id) && (of === module || !without.includes(of))
  // What came before a node that is left out comes before those that waited for it.
  const through = new Map<NodeId, readonly NodeId[]>()
  const kept: Node[] = []
  for (const node of graph.nodes) {
    const needs = [...new Set(node.needs.flatMap((need) => through.get(need) ?? []))]
    through.set(node.id, stays(node) ? [node.id] : needs)
    if (stays(node)) kept.push({ ...node, needs })
  }
  return seal(graph.pipeline, fragmentOf(kept), graph.compensations)
}
