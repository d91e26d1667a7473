import type { TaskInfo } from '../graph/model.ts'
import type { Run } from './run.ts'

/** From when to when something ran. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly ms: number
}

/** When a node ran; a running one runs until now. */
export function nodeSpan(run: Run, node: number, now: number): Span | null {
  const from = run.startedAt[node] ?? null
  if (from === null) return null
  const took = run.took[node] ?? null
  const to = took !== null ? from + took : run.states[node] === 'running' ? Math.max(from, now) : from
  return { from, to, ms: to - from }
}

/** From the start of a task's first step to the end of its last. */
export function taskSpan(run: Run, task: Pick<TaskInfo, 'nodes'>, now: number): Span | null {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const node of task.nodes) {
    const span = nodeSpan(run, node, now)
    if (span === null) continue
    from = Math.min(from, span.from)
    to = Math.max(to, span.to)
  }
  return to < from ? null : { from, to, ms: to - from }
}
