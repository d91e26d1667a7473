import { type Clock, type Millis, systemClock } from './time.ts'

interface Patience {
  readonly every: Millis
  readonly within: Millis
  readonly signal?: AbortSignal
  readonly clock?: Clock
}

/**
 * Waits until `check` gives something other than null: the one way to wait in this code base.
 * Gives null when the time is up; the caller decides which error that is.
 */
export async function eventually<T>(
  check: () => Promise<T | null>,
  { every, within, signal, clock = systemClock }: Patience,
): Promise<T | null> {
  const end = clock.steady() + within
  for (;;) {
    signal?.throwIfAborted()
    const result = await check()
    if (result !== null) return result
    if (clock.steady() + every > end) return null
    await clock.sleep(every, signal)
  }
}
