import { semaphore } from '../util/semaphore.ts'

/** How much may happen at once. */
export interface Limits {
  readonly total: number
  readonly perHost: number
  /** Uploads and image imports, which fill the line of the machine kubexm runs on. */
  readonly transfers: number
}

export const defaultLimits: Limits = { total: 200, perHost: 8, transfers: 8 }

/** One holder per name at a time. */
export class NamedLocks {
  readonly #locks = new Map<string, ReturnType<typeof semaphore>>()

  hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(name) ?? semaphore(1)
    this.#locks.set(name, lock)
    return lock(work)
  }
}
