import { ApiError } from '../api/client.ts'
import type { Say } from '../i18n/text.ts'

interface Props {
  readonly problem: unknown
  readonly say: Say
  readonly again?: () => void
}

/** What the server said when it refused, or why it did not answer. */
export function ProblemBox({ problem, say, again }: Props) {
  const refusal = problem instanceof ApiError ? problem.refusal : null
  const why = problem instanceof Error ? problem.message : String(problem)
  return (
    <div className="problem-box" role="alert">
      {refusal === null ? (
        <p>{say('app.offline', { why })}</p>
      ) : (
        <>
          <p>
            <code>{refusal.code}</code> {refusal.problem}
          </p>
          {refusal.fix === '' ? null : (
            <p className="fix">
              <strong>{say('problems.fix')}</strong> {refusal.fix}
            </p>
          )}
        </>
      )}
      {again === undefined ? null : (
        <button type="button" onClick={again}>
          {say('app.retry')}
        </button>
      )}
    </div>
  )
}
