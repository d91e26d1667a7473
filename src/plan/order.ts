import { fail } from '../error/index.ts'
import type { ExecutionFragment } from './fragment.ts'
import type { Node, NodeId } from './node.ts'

/** Topological order, stable: ties keep the order in which the plan was written. Linear in nodes and edges. */
export function inOrder(fragment: ExecutionFragment): readonly Node[] {
  const all = [...fragment.nodes.values()]
  const position = new Map<NodeId, number>()
  for (const [i, node] of all.entries()) position.set(node.id, i)
  const waiting = new Int32Array(all.length)
  const dependents: number[][] = all.map(() => [])
  for (const [i, node] of all.entries()) {
    for (const need of node.needs) {
      const at = position.get(need)
      if (at === undefined) throw fail('KX_PLAN_INVALID', { what: `${node.id} needs ${need}, which is not in the plan` })
      dependents[at]?.push(i)
      waiting[i] = (waiting[i] ?? 0) + 1
    }
  }
  const order: number[] = []
  for (let i = 0; i < all.length; i++) if (waiting[i] === 0) order.push(i)
  for (let next = 0; next < order.length; next++) {
    for (const dependent of dependents[order[next] as number] as number[]) {
      waiting[dependent] = (waiting[dependent] as number) - 1
      if (waiting[dependent] === 0) order.push(dependent)
    }
  }
  if (order.length < all.length) {
    throw fail('KX_PLAN_INVALID', { what: `these nodes wait for each other: ${cycle(all, waiting, position).join(' → ')}` })
  }
  return order.map((i) => all[i] as Node)
}

/** One cycle, turned so that its smallest name comes first: the same message every time. */
function cycle(all: readonly Node[], waiting: Int32Array, position: ReadonlyMap<NodeId, number>): readonly NodeId[] {
  const isStuck = (id: NodeId): boolean => (waiting[position.get(id) ?? 0] ?? 0) > 0
  const path: NodeId[] = []
  const seen = new Map<NodeId, number>()
  let at = all.find((node) => isStuck(node.id)) as Node
  while (!seen.has(at.id)) {
    seen.set(at.id, path.length)
    path.push(at.id)
    const next = at.needs.find(isStuck) as NodeId
    at = all[position.get(next) as number] as Node
  }
  const round = path.slice(seen.get(at.id))
  const first = round.indexOf([...round].sort()[0] as NodeId)
  const turned = [...round.slice(first), ...round.slice(0, first)]
  return [...turned, turned[0] as NodeId]
}
