import { type ExecutionFragment, fragmentOf } from './fragment.ts'
import type { Node, NodeId } from './node.ts'
import { inOrder } from './order.ts'

/**
 * The way back: arrows turned, steps switched to removal. Steps that leave nothing behind (downloads, waits, checks)
 * drop out and their edges are bridged.
 */
export function mirror(part: ExecutionFragment): ExecutionFragment {
  const ordered = inOrder(part)
  /** For each node the ones after it that stay, seen through those that drop out. */
  const staysAfter = new Map<NodeId, Set<NodeId>>(ordered.map((node) => [node.id, new Set()]))
  // From the end: what comes after a node is known before the node itself is looked at.
  for (const node of [...ordered].reverse()) {
    const beyond: Iterable<NodeId> = stays(node) ? [node.id] : (staysAfter.get(node.id) ?? [])
    for (const need of node.needs) {
      const after = staysAfter.get(need)
      for (const id of beyond) after?.add(id)
    }
  }
  const turned: Node[] = []
  for (const node of [...ordered].reverse()) {
    if (!stays(node)) continue
    const needs = [...(staysAfter.get(node.id) ?? [])]
    turned.push(node.kind === 'step' ? { ...node, needs, mode: 'remove' } : { ...node, needs, ends: false })
  }
  return fragmentOf(turned)
}

const stays = (node: Node): boolean => node.kind === 'milestone' || node.step.remove !== null
