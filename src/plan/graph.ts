import { createHash } from 'node:crypto'
import { fail } from '../error/index.ts'
import type { ExecutionFragment } from './fragment.ts'
import type { Node, StepNode } from './node.ts'
import { inOrder } from './order.ts'
import { checkSlots } from './slots.ts'

/** A sealed plan: no cycle, no dangling edge, no double name, every slot that is read is written upstream. Only a sealed graph runs. */
export interface ExecutionGraph {
  readonly pipeline: string
  /** Of everything that decides what will be done: equal digests do the same. */
  readonly digest: string
  /** In an order in which each node comes after all it needs. */
  readonly nodes: readonly Node[]
  /** What to run in place of the step-by-step rollback of a task, by task. */
  readonly compensations: ReadonlyMap<string, readonly StepNode[]>
}

/** Proves a fragment runnable and puts it in order. */
export function seal(
  pipeline: string,
  fragment: ExecutionFragment,
  compensations: ReadonlyMap<string, readonly StepNode[]> = new Map(),
): ExecutionGraph {
  const nodes = inOrder(fragment)
  checkSteps(nodes)
  checkSlots(nodes)
  return { pipeline, digest: digestOf(pipeline, nodes), nodes, compensations }
}

/** One name, one step: the journal, metrics and docs go by the name. */
function checkSteps(nodes: readonly Node[]): void {
  const byName = new Map<string, StepNode['step']>()
  for (const node of nodes) {
    if (node.kind !== 'step') continue
    const known = byName.get(node.step.name)
    if (known === undefined) byName.set(node.step.name, node.step)
    else if (known !== node.step) throw fail('KX_PLAN_INVALID', { what: `two different steps are called ${node.step.name}` })
  }
}

function digestOf(pipeline: string, nodes: readonly Node[]): string {
  const hash = createHash('sha256').update(pipeline)
  // In chunks: one update per node would spend most of its time crossing into native code.
  let chunk = ''
  for (const node of nodes) {
    chunk += `\n${node.id} ${node.needs.join(',')}`
    if (node.kind === 'step') chunk += ` ${node.mode} ${node.inputHash}`
    if (chunk.length > 65_536) {
      hash.update(chunk)
      chunk = ''
    }
  }
  return hash.update(chunk).digest('hex')
}
