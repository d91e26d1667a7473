import { fail } from '../error/index.ts'
import type { Milestone, Node, NodeId } from './node.ts'

/** A piece of graph with its ends computed: what tasks, modules and pipelines are composed of. */
export interface ExecutionFragment {
  readonly nodes: ReadonlyMap<NodeId, Node>
  /** Nodes that need nothing within the fragment. */
  readonly entry: readonly NodeId[]
  /** Nodes that nothing within the fragment needs. */
  readonly exit: readonly NodeId[]
}

/** A fragment with nothing in it; `seq` and `par` pass it through. */
export const empty: ExecutionFragment = { nodes: new Map(), entry: [], exit: [] }

/** Nodes that are linked already, as a fragment. */
export function fragmentOf(nodes: Iterable<Node>): ExecutionFragment {
  const byId = new Map<NodeId, Node>()
  const needed = new Set<NodeId>()
  for (const node of nodes) {
    add(byId, node)
    for (const id of node.needs) needed.add(id)
  }
  const entry: NodeId[] = []
  const exit: NodeId[] = []
  for (const node of byId.values()) {
    if (!node.needs.some((id) => byId.has(id))) entry.push(node.id)
    if (!needed.has(node.id)) exit.push(node.id)
  }
  return { nodes: byId, entry, exit }
}

/** One after another: each part begins when the one before it has ended. */
export function seq(...parts: readonly ExecutionFragment[]): ExecutionFragment {
  const full = parts.filter((part) => part.nodes.size > 0)
  const [first, ...rest] = full
  if (first === undefined) return empty
  if (rest.length === 0) return first
  const nodes = new Map(first.nodes)
  let exit = first.exit
  for (const part of rest) {
    const joint = exit.length > 1 && part.entry.length > 1 ? milestoneBetween(part, exit) : null
    if (joint !== null) add(nodes, joint)
    after(part, joint === null ? exit : [joint.id], nodes)
    exit = part.exit
  }
  return { nodes, entry: first.entry, exit }
}

/** Side by side. */
export function par(...parts: readonly ExecutionFragment[]): ExecutionFragment {
  const full = parts.filter((part) => part.nodes.size > 0)
  const [first] = full
  if (first === undefined) return empty
  if (full.length === 1) return first
  const nodes = new Map<NodeId, Node>()
  for (const part of full) for (const node of part.nodes.values()) add(nodes, node)
  return { nodes, entry: full.flatMap((part) => part.entry), exit: full.flatMap((part) => part.exit) }
}

/** A fragment with more needed before its beginning: only its entries change. */
export function after(part: ExecutionFragment, needs: readonly NodeId[], into: Map<NodeId, Node>): void {
  const entries = new Set(part.entry)
  for (const node of part.nodes.values()) add(into, entries.has(node.id) ? { ...node, needs: [...node.needs, ...needs] } : node)
}

function milestoneBetween(part: ExecutionFragment, needs: readonly NodeId[]): Milestone {
  const [firstId] = part.entry
  const first = part.nodes.get(firstId ?? '') as Node
  return { kind: 'milestone', id: `${first.id}~before`, needs, module: first.module, task: first.task, ends: false }
}

/** Adds a node under its own name. Whether the name was free shows in the size: one look-up instead of two, and plans are large. */
export function add(nodes: Map<NodeId, Node>, node: Node): void {
  const size = nodes.size
  nodes.set(node.id, node)
  if (nodes.size === size) {
    throw fail('KX_PLAN_INVALID', { what: `two nodes are called ${node.id}; give one of them a name with use(step, input, 'name')` })
  }
}
