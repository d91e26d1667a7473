import type { Job } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { useErrorText } from '../i18n/use-error-text.ts'
import { ErrorView } from '../parts/error-view.tsx'
import type { Run } from '../run/run.ts'

/** Why a job failed, in the place where nobody misses it: the first error in full, the way to the others. */
export function JobError({ job, run, onAll }: { readonly job: Job; readonly run: Run; readonly onAll: () => void }) {
  const { say } = useApp()
  const errorText = useErrorText()
  const errors = run.problems.filter(({ severity, kind }) => severity === 'error' && kind !== 'retry')
  const [first] = errors
  if (first === undefined && job.error === null) return null
  return (
    <div className="job-error" role="alert">
      {first !== undefined ? (
        <>
          {first.title === null && first.hosts.length === 0 ? null : (
            <p className="place">
              {[first.title ?? first.step, first.hosts.join(', ')].filter((part) => part !== null && part !== '').join(' · ')}
            </p>
          )}
          <ErrorView error={errorText(first.error)} seen={first.seen} />
        </>
      ) : job.error === null ? null : (
        <ErrorView error={job.error} seen={null} />
      )}
      {errors.length > 1 ? (
        <button type="button" className="link" onClick={onAll}>
          {say('job.moreProblems', { n: errors.length })}
        </button>
      ) : null}
    </div>
  )
}
