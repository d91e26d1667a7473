import type { Run } from './run.ts'
import { doneIn } from './states.ts'

/** Before so much of the steps is done, an estimate would be a guess. */
const leastKnown = 0.1

/**
 * The time a run still needs: the rest of the critical path, each step as long as it took elsewhere,
 * or the rest of the steps at the pace so far, whichever is longer. Null while too little is known.
 */
export function timeLeft(run: Run, now: number): number | null {
  const { steps } = run.model
  const done = doneIn(run.total)
  if (steps === 0 || done === steps || done / steps < leastKnown) return null
  const lengths = new Map<string, { sum: number; count: number }>()
  let [began, worked] = [Number.POSITIVE_INFINITY, 0]
  for (const node of run.model.nodes) {
    const took = run.took[node.index] ?? null
    const start = run.startedAt[node.index] ?? null
    if (start !== null) began = Math.min(began, start)
    if (node.milestone || took === null || run.states[node.index] === 'resumed') continue
    worked++
    const known = lengths.get(node.step) ?? { sum: 0, count: 0 }
    lengths.set(node.step, { sum: known.sum + took, count: known.count + 1 })
  }
  if (worked === 0 || began > now) return null
  let rest = 0
  for (const node of run.model.nodes) {
    if (!node.critical || node.milestone) continue
    const state = run.states[node.index]
    if (state !== 'pending' && state !== 'running') continue
    const known = lengths.get(node.step)
    const expected = known === undefined ? (now - began) / Math.max(1, done) : known.sum / known.count
    const passed = state === 'running' ? now - (run.startedAt[node.index] ?? now) : 0
    rest += Math.max(0, expected - passed)
  }
  const atPace = ((now - began) / worked) * (run.total.pending + run.total.running)
  return Math.max(rest, atPace)
}
