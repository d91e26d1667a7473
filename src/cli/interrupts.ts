import type { KubexmError } from '../error/index.ts'
import type { Outcome } from '../event/index.ts'

/** Ctrl-C once cancels, twice leaves everything as it is. */
export function interrupts(): { readonly cancel: AbortSignal; readonly abandon: AbortSignal } {
  const cancel = new AbortController()
  const abandon = new AbortController()
  const onSignal = (): void => {
    if (cancel.signal.aborted) {
      abandon.abort(new Error('abandoned by the user'))
      // Whatever still hangs is not waited for: the journal is consistent at every moment.
      setTimeout(() => process.exit(130), 1000).unref()
    } else cancel.abort(new Error('cancelled by the user'))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return { cancel: cancel.signal, abandon: abandon.signal }
}

/** The exit code of a run that ended. */
export function exitCodeOf({ outcome, errors }: { readonly outcome: Outcome; readonly errors: readonly KubexmError[] }): number {
  if (outcome === 'success') return 0
  if (outcome === 'cancelled') return 130
  // A failed rollback is worse than what caused it.
  return Math.max(...errors.map((error) => error.exitCode).filter((code) => code === 14), errors[0]?.exitCode ?? 13)
}
