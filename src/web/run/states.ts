import type { NodeState } from '../../event/event.ts'

/** All states of a node, in the order in which bars and legends show them. */
export const nodeStates = [
  'succeeded',
  'satisfied',
  'resumed',
  'running',
  'failed',
  'rollback-failed',
  'rolled-back',
  'cancelled',
  'blocked',
  'pending',
] as const satisfies readonly NodeState[]

export type Tally = Readonly<Record<NodeState, number>>

/** A tally in which nothing has been counted yet. */
export const emptyTally = (): Record<NodeState, number> =>
  Object.fromEntries(nodeStates.map((state) => [state, 0])) as Record<NodeState, number>

/** How many ended well. */
export const doneIn = (tally: Tally): number => tally.succeeded + tally.satisfied + tally.resumed

/** The one state that says most about many nodes: trouble before work, work before what is done. */
export function stateOf(tally: Tally): NodeState {
  for (const state of ['rollback-failed', 'failed', 'running', 'rolled-back', 'cancelled', 'blocked'] as const)
    if (tally[state] > 0) return state
  const done = doneIn(tally)
  if (tally.pending > 0 || done === 0) return done > 0 ? 'running' : 'pending'
  if (tally.succeeded > 0) return 'succeeded'
  return tally.resumed > tally.satisfied ? 'resumed' : 'satisfied'
}
