/** One change that was asked of a host. */
export interface Mutation {
  /** The call, as in `files.write`. */
  readonly what: string
  readonly target: string
}

/**
 * Where in a change the fault strikes. `before`: nothing has happened. `noted`: the ledger line is written, the change is not made.
 * `after`: the change is made, but the caller sees an error. `lost`: the caller sees success, but nothing has happened.
 */
export type FaultPoint = 'before' | 'noted' | 'after' | 'lost'

/** The process that made the call is gone, as by kill -9: nothing may be asked through it any more. */
export class SimulatedCrash extends Error {
  constructor(mutation: Mutation) {
    super(`crashed at ${mutation.what} ${mutation.target}`)
    this.name = 'SimulatedCrash'
  }
}

interface Planned {
  readonly point: FaultPoint
  readonly crash: boolean
  readonly error: (() => Error) | null
}

/** Faults to come, by the number of the change they strike. Several hosts may share one, so that a whole run is counted through. */
export class Faults {
  readonly #planned = new Map<number, Planned>()
  #count = 0
  #crashed: SimulatedCrash | null = null

  /** How many changes were asked for so far. */
  get count(): number {
    return this.#count
  }

  get crashed(): boolean {
    return this.#crashed !== null
  }

  /** The n-th change from now (1 is the next one) fails; by default with what a failed command looks like. */
  failAt(n: number, point: FaultPoint, error: (() => Error) | null = null): void {
    this.#planned.set(this.#count + n, { point, crash: false, error })
  }

  /** At the n-th change from now the caller dies; every later call throws the same, until `revive`. */
  crashAt(n: number, point: 'before' | 'noted' | 'after'): void {
    this.#planned.set(this.#count + n, { point, crash: true, error: null })
  }

  /** A new process takes the place of the one that crashed. */
  revive(): void {
    this.#crashed = null
  }

  /** Forgets faults that have not struck, and a crash. */
  clear(): void {
    this.#planned.clear()
    this.#crashed = null
  }

  /** Called by a host at every call: the dead ask for nothing. */
  throwIfCrashed(): void {
    if (this.#crashed !== null) throw this.#crashed
  }

  /** Called by a host for a change about to be made. */
  next(): Planned | null {
    this.#count += 1
    const planned = this.#planned.get(this.#count) ?? null
    this.#planned.delete(this.#count)
    return planned
  }

  /** Called by a host where the fault strikes. */
  strike(planned: Planned, mutation: Mutation, usual: () => Error): never {
    if (!planned.crash) throw planned.error?.() ?? usual()
    this.#crashed = new SimulatedCrash(mutation)
    throw this.#crashed
  }
}
