/** Lets at most `limit` pieces of work run at once, in the order they came. */
export function semaphore(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The place is handed over, not freed: nobody can slip in between.
      if (next === undefined) running--
      else next()
    }
  }
}
