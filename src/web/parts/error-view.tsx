import type { ShortError } from '../api/types.ts'
import { useApp } from '../app/context.ts'

/** An error: its code, what is wrong, what was seen, what to do. */
export function ErrorView({ error, seen }: { readonly error: ShortError; readonly seen: string | null }) {
  const { say } = useApp()
  return (
    <div className="error-view">
      <p>
        <code>{error.code}</code> {error.problem}
      </p>
      {seen === null || seen === '' ? null : <pre title={say('problems.seen')}>{seen}</pre>}
      {error.fix === '' ? null : (
        <p className="fix">
          <strong>{say('problems.fix')}</strong> {error.fix}
        </p>
      )}
    </div>
  )
}
