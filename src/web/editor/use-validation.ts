import { useEffect, useState } from 'react'
import type { ApiClient } from '../api/client.ts'
import type { Validation } from '../api/types.ts'

export interface Checked {
  /** What the server said of the text as it is, or was a moment ago. */
  readonly validation: Validation | null
  readonly checking: boolean
  readonly problem: unknown
}

/** Typing is let settle for so long before the server is asked. */
const settle = 350

/** Has the server check a config as it is written. */
export function useValidation(api: ApiClient, text: string): Checked {
  const [state, setState] = useState<Checked>({ validation: null, checking: false, problem: null })
  useEffect(() => {
    if (text.trim() === '') {
      setState({ validation: null, checking: false, problem: null })
      return
    }
    const stop = new AbortController()
    setState((before) => ({ ...before, checking: true }))
    const timer = setTimeout(() => {
      api.validate(text, stop.signal).then(
        (validation) => setState({ validation, checking: false, problem: null }),
        (problem: unknown) => {
          if (!stop.signal.aborted) setState((before) => ({ validation: before.validation, checking: false, problem }))
        },
      )
    }, settle)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [api, text])
  return state
}
