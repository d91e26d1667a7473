import type { Millis } from '../../util/time.ts'
import { finishedSteps, type RunView } from './state.ts'

/** Mean durations of steps in earlier runs, by step name. */
export type StepHistory = Readonly<Record<string, Millis>>

/** With less than this part of the steps behind it an estimate is a guess, and a guess that jumps is worse than none. */
const enoughSeen = 0.1

/**
 * How long the run will still take, or null while too little is known: the rest of the critical path, each step as long as it took on
 * other hosts or in earlier runs; or, where the number of steps at once is what holds the run up, the rest at the pace so far.
 */
export function remaining(view: RunView, now: Millis, history: StepHistory = {}): Millis | null {
  const done = finishedSteps(view.tally) - view.tally.resumed
  const left = view.total - finishedSteps(view.tally)
  if (left <= 0 || view.finished !== null || view.cancelling || view.tally.failed > 0) return null
  const path = alongCriticalPath(view, now, history)
  const known = Object.keys(history).length > 0 || done >= view.total * enoughSeen
  if (path === null || !known) return null
  const pace = done === 0 ? 0 : ((now - view.startedAt) / done) * left
  return Math.max(path, pace)
}

function alongCriticalPath(view: RunView, now: Millis, history: StepHistory): Millis | null {
  const mean = meanOf(view)
  if (mean === null && Object.keys(history).length === 0) return null
  let ms = 0
  for (const node of view.criticalPath) {
    // Milestones run nothing and name no host.
    if (view.criticalTimes.has(node) || !node.includes('@')) continue
    const step = stepOf(node)
    const seen = view.stepTimes.get(step)
    const expected = seen === undefined ? (history[step] ?? mean ?? 0) : seen.ms / seen.count
    const since = view.running.get(node)
    ms += since === undefined ? expected : Math.max(0, expected - (now - since))
  }
  return ms
}

/** What a step that was never seen may take: as long as those of the path so far. */
function meanOf(view: RunView): Millis | null {
  let ms = 0
  for (const step of view.criticalTimes.values()) ms += step.ms
  return view.criticalTimes.size === 0 ? null : ms / view.criticalTimes.size
}

/** `etcd.install/etcd.start@node1` is about `etcd.start`. */
const stepOf = (node: string): string => node.slice(node.lastIndexOf('/') + 1).replace(/@[^@]*$/, '')

/** A time for people who watch: whole seconds, so that nothing flickers. */
export function clockTime(ms: Millis): string {
  const total = Math.max(0, Math.floor(ms / 1000))
  const [h, m, s] = [Math.floor(total / 3600), Math.floor((total % 3600) / 60), total % 60]
  const two = (n: number): string => String(n).padStart(2, '0')
  if (h > 0) return `${h} h ${two(m)} m`
  return m > 0 ? `${m} m ${two(s)} s` : `${s} s`
}

/** An estimate, no finer than it deserves: it is rounded up, the more the longer it is. */
export function aboutTime(ms: Millis): string {
  const s = ms / 1000
  if (s > 90) return `about ${clockTime(Math.ceil(s / 60) * 60_000).replace(' 00 s', '')} left`
  return s < 5 ? 'a few seconds left' : `about ${Math.ceil(s / 10) * 10} s left`
}
