/** A number of places for which callers wait in line. */
export class Places {
  #limit: number
  #taken = 0
  readonly #line: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get taken(): number {
    return this.#taken
  }

  get limit(): number {
    return this.#limit
  }

  /** Fewer places take effect as those in use are given back. */
  set limit(limit: number) {
    this.#limit = limit
    this.#serve()
  }

  /** Waits for a free place. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#line.splice(this.#line.indexOf(start), 1)
        reject(signal.reason)
      }
      const start = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#line.push(start)
      this.#serve()
    })
  }

  /** Gives a place back. */
  give(): void {
    this.#taken--
    this.#serve()
  }

  /** Does some work in a place. */
  async within<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.take(signal)
    try {
      return await work()
    } finally {
      this.give()
    }
  }

  #serve(): void {
    while (this.#taken < this.#limit) {
      const next = this.#line.shift()
      if (next === undefined) return
      this.#taken++
      next()
    }
  }
}
