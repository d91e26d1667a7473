import type { Clock } from '../../src/util/time.ts'

/** Time that passes only when nothing else can happen: hours of a run in milliseconds of a test. */
export class VirtualClock implements Clock {
  #now = 0
  #stop: () => void = () => {}
  #outside = 0
  readonly #timers = new Set<{ at: number; call: () => void }>()

  now(): number {
    return this.#now
  }

  steady(): number {
    return this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const timer = { at: this.#now + ms, call: resolve }
      this.#timers.add(timer)
      signal?.addEventListener(
        'abort',
        () => {
          if (this.#timers.delete(timer)) reject(signal.reason)
        },
        { once: true },
      )
    })
  }

  after(ms: number, call: () => void): { cancel(): void } {
    const timer = { at: this.#now + ms, call }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }

  /** Time stands still while this work is under way: it waits for something real that no clock drives, such as another thread. */
  async outside<T>(work: Promise<T>): Promise<T> {
    this.#outside++
    try {
      return await work
    } finally {
      this.#outside--
    }
  }

  /** Time ends: what waits for it waits for ever, as in a process that was killed. */
  stop(): void {
    this.#stop()
  }

  /** Runs the work, letting time jump to the next timer whenever everything waits for it. */
  async run<T>(work: Promise<T>): Promise<T> {
    let over = false
    this.#stop = () => {
      over = true
    }
    const ended = work.finally(() => {
      over = true
    })
    ended.catch(() => undefined)
    while (!over) {
      // Real files are written meanwhile (the journal): time stands still until they are.
      do await new Promise((next) => setImmediate(next))
      while (!over && (this.#outside > 0 || process.getActiveResourcesInfo().some((resource) => /^FSReq|^CloseReq$/.test(resource))))
      if (over) break
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0]
      if (next === undefined) continue
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.call()
    }
    return await ended
  }
}
