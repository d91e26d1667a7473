import { fail } from '../error/index.ts'
import type { AnySlot } from '../runtime/index.ts'
import type { Node, NodeId } from './node.ts'

/**
 * Proves that every slot a step reads is written by a step it comes after.
 * One pass over the ordered nodes, a bit per slot: what is available at a node is what its needs made available.
 */
export function checkSlots(ordered: readonly Node[]): void {
  const bits = new Map<string, bigint>()
  const bitOf = (slot: AnySlot): bigint => {
    const known = bits.get(slot.key)
    if (known !== undefined) return known
    const bit = 1n << BigInt(bits.size)
    bits.set(slot.key, bit)
    return bit
  }
  const usesSlots = ordered.some((node) => node.kind === 'step' && (node.step.reads.length > 0 || node.step.writes.length > 0))
  if (!usesSlots) return

  const available = new Map<NodeId, bigint>()
  for (const node of ordered) {
    let have = 0n
    for (const need of node.needs) have |= available.get(need) ?? 0n
    if (node.kind === 'step' && node.mode === 'apply') {
      for (const slot of node.step.reads) {
        if ((have & bitOf(slot)) === 0n) {
          throw fail('KX_PLAN_INVALID', { what: `${node.id} reads ${slot.key}, which no step before it writes` })
        }
      }
      for (const slot of node.step.writes) have |= bitOf(slot)
    }
    available.set(node.id, have)
  }
}
