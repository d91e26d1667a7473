/** A span of time in milliseconds. */
export type Millis = number

export const seconds = (n: number): Millis => n * 1000
export const minutes = (n: number): Millis => n * 60_000

/** A duration for people: `340 ms`, `4.2 s`, `3 m 05 s`, `1 h 02 m`. */
export function formatMillis(ms: Millis): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const totalSeconds = Math.round(ms / 1000)
  const [h, m, s] = [Math.floor(totalSeconds / 3600), Math.floor((totalSeconds % 3600) / 60), totalSeconds % 60]
  return h > 0 ? `${h} h ${pad(m)} m` : `${m} m ${pad(s)} s`
}

const pad = (n: number): string => String(n).padStart(2, '0')

/** The time as the engine sees it: replaced by a virtual one in tests. */
export interface Clock {
  /** What day it is: may jump when somebody sets the clock. */
  now(): Millis
  /** For spans: goes on evenly whatever the clock is set to. */
  steady(): Millis
  /** Resolves after `ms`; rejects with the signal's reason when that is aborted first. */
  sleep(ms: Millis, signal?: AbortSignal): Promise<void>
  /** Calls back after `ms` unless cancelled; does not keep the process alive. */
  after(ms: Millis, call: () => void): { cancel(): void }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => Math.round(performance.now()),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    timer.unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
