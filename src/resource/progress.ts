import type { Millis } from '../util/time.ts'

/** How far a transfer is. */
export interface Progress {
  readonly done: number
  /** Null while the source has not said how much there is. */
  readonly total: number | null
  /** Bytes a second over the last few seconds. */
  readonly rate: number
  /** Until the end at this rate; null when it cannot be told. */
  readonly eta: Millis | null
}

const window: Millis = 5000

/** Measures a transfer: the rate is that of the last few seconds, so that a stall shows and an old burst is forgotten. */
export class ProgressMeter {
  #done = 0
  #total: number | null = null
  readonly #now: () => Millis
  #samples: { at: Millis; done: number }[] = []

  constructor(now: () => Millis) {
    this.#now = now
  }

  /** Sets what is known; `done` may go back when a transfer starts over. */
  set(done: number, total: number | null): void {
    if (done < this.#done) this.#samples = []
    this.#done = done
    this.#total = total
    const at = this.#now()
    this.#samples.push({ at, done })
    while (this.#samples.length > 2 && (this.#samples[0]?.at ?? at) < at - window) this.#samples.shift()
  }

  read(): Progress {
    const first = this.#samples[0]
    const elapsed = first === undefined ? 0 : this.#now() - first.at
    const rate = first === undefined || elapsed <= 0 ? 0 : ((this.#done - first.done) / elapsed) * 1000
    const left = this.#total === null ? null : Math.max(0, this.#total - this.#done)
    return {
      done: this.#done,
      total: this.#total,
      rate,
      eta: left === null || (rate === 0 && left > 0) ? null : left === 0 ? 0 : (left / rate) * 1000,
    }
  }
}

/** Bytes for people: `312 B`, `4.2 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
