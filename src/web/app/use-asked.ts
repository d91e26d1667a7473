import { useCallback, useEffect, useRef, useState } from 'react'

export interface Asked<T> {
  readonly value: T | null
  readonly problem: unknown
  /** Asks again at once. */
  readonly again: () => void
}

/** Asks the server, and asks again every so often while the page can be seen; an old answer stays until there is a new one. */
export function useAsked<T>(ask: () => Promise<T>, every = 0): Asked<T> {
  const [state, setState] = useState<{ value: T | null; problem: unknown }>({ value: null, problem: null })
  const [round, setRound] = useState(0)
  const asked = useRef(ask)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a round is a reason to ask, though nothing reads it
  useEffect(() => {
    let wanted = true
    if (asked.current !== ask) {
      asked.current = ask
      setState({ value: null, problem: null })
    }
    const load = async (): Promise<void> => {
      try {
        const value = await ask()
        if (wanted) setState({ value, problem: null })
      } catch (problem) {
        if (wanted) setState((before) => ({ value: before.value, problem }))
      }
    }
    void load()
    const timer = every === 0 ? undefined : setInterval(() => document.visibilityState === 'visible' && void load(), every)
    return () => {
      wanted = false
      clearInterval(timer)
    }
  }, [ask, every, round])
  return { ...state, again: useCallback(() => setRound((n) => n + 1), []) }
}

/** The time, told again every so often; for ages and durations that grow. */
export function useNow(every: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (every === 0) return
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [every])
  return now
}
