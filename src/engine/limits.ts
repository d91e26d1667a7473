/** How much may happen at once. */
export interface Limits {
  readonly total: number
  readonly perHost: number
  /** Uploads and image imports, which fill the line of the machine kubexm runs on. */
  readonly transfers: number
}

export const defaultLimits: Limits = { total: 200, perHost: 8, transfers: 8 }

/** Lets so many in at a time, first come first served. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#waiting.push(enter))
    try {
      return await work()
    } finally {
      // The place is handed to the next in line, not freed and raced for.
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

/** One holder per name at a time. */
export class NamedLocks {
  readonly #locks = new Map<string, Semaphore>()

  hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(name) ?? new Semaphore(1)
    this.#locks.set(name, lock)
    return lock.hold(work)
  }
}
