import { useApp } from '../app/context.ts'
import { clockText } from '../i18n/time.ts'
import { useErrorText } from '../i18n/use-error-text.ts'
import { ErrorView } from '../parts/error-view.tsx'
import { Icon } from '../parts/icon.tsx'
import type { Problem, Run } from '../run/run.ts'

interface Props {
  readonly run: Run
  readonly ended: boolean
  readonly onNode: (node: string) => void
}

/** Everything that went wrong or was found, errors first, each with what to do. */
export function Problems({ run, ended, onNode }: Props) {
  const { say } = useApp()
  if (run.problems.length === 0) return <p className="empty">{say(ended ? 'problems.none' : 'problems.noneYet')}</p>
  const groups = [
    ['problems.errors', run.problems.filter(({ severity }) => severity === 'error')],
    ['problems.warnings', run.problems.filter(({ severity }) => severity === 'warning')],
  ] as const
  return (
    <div className="problems">
      {groups.map(([title, problems]) =>
        problems.length === 0 ? null : (
          <section key={title}>
            <h2>
              {say(title)} <span className="faint">{problems.length}</span>
            </h2>
            <ul>
              {problems.map((problem) => (
                <li
                  key={`${problem.kind} ${problem.at} ${problem.error.code} ${problem.step} ${problem.hosts[0]}`}
                  className={`of-${problem.severity}`}
                >
                  <ProblemItem problem={problem} onNode={onNode} />
                </li>
              ))}
            </ul>
          </section>
        ),
      )}
    </div>
  )
}

/** More hosts than this are counted, not named. */
const namedHosts = 12

function ProblemItem({ problem, onNode }: { readonly problem: Problem; readonly onNode: (node: string) => void }) {
  const { say } = useApp()
  const errorText = useErrorText()
  const { hosts, node } = problem
  const named =
    hosts.length > namedHosts ? `${hosts.slice(0, namedHosts).join(', ')} … ${say('graph.hosts', { n: hosts.length })}` : hosts.join(', ')
  return (
    <>
      <p className="place">
        <Icon name={problem.severity === 'error' ? 'cross' : 'alarm'} />
        <time>{clockText(problem.at)}</time>
        {[problem.task, problem.title ?? problem.step, named].filter((part) => part !== null && part !== '').join(' · ')}
        {problem.kind === 'retry' ? <span className="tag">{say('problems.retried')}</span> : null}
        {node === null ? null : (
          <button type="button" className="link" onClick={() => onNode(node)}>
            {say('problems.show')}
          </button>
        )}
      </p>
      <ErrorView error={errorText(problem.error)} seen={problem.seen} />
    </>
  )
}
