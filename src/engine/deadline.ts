import type { Clock, Millis } from '../util/time.ts'

/** A limit on a piece of work: its signal ends both our waiting and the work on the host. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
  /** Whether the time ran out, as opposed to the run being cancelled. */
  readonly expired: boolean
  /** The time spent in here does not count: waiting for a lock is not the work's fault. */
  uncounted<T>(work: () => Promise<T>): Promise<T>
}

/** Starts the clock; `parent` aborted aborts this one too. */
export function startDeadline(limit: Millis, parent: AbortSignal, clock: Clock): Deadline {
  const controller = new AbortController()
  let expired = false
  let left = limit
  let since = clock.steady()
  const expire = (): void => {
    expired = true
    controller.abort(new Error('the time is up'))
  }
  let timer = clock.after(left, expire)
  const onParent = (): void => controller.abort(parent.reason)
  if (parent.aborted) onParent()
  else parent.addEventListener('abort', onParent, { once: true })
  return {
    signal: controller.signal,
    get expired() {
      return expired
    },
    uncounted: async (work) => {
      timer.cancel()
      left -= clock.steady() - since
      try {
        return await work()
      } finally {
        since = clock.steady()
        if (!controller.signal.aborted) timer = clock.after(Math.max(left, 0), expire)
      }
    },
    [Symbol.dispose]: () => {
      timer.cancel()
      parent.removeEventListener('abort', onParent)
    },
  }
}
