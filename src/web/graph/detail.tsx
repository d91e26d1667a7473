import type { ReactNode } from 'react'
import { useApp } from '../app/context.ts'
import { clockText, durationText } from '../i18n/time.ts'
import { useErrorText } from '../i18n/use-error-text.ts'
import { ErrorView } from '../parts/error-view.tsx'
import { StateMark } from '../parts/status.tsx'
import { TallyBar } from '../parts/tally-bar.tsx'
import type { Run } from '../run/run.ts'
import { nodeSpan, taskSpan } from '../run/span.ts'
import { emptyTally, stateOf } from '../run/states.ts'
import type { Target } from './hit.ts'
import type { StepRow } from './model.ts'

interface Props {
  readonly run: Run
  readonly now: number
  readonly selected: Target | null
  readonly onSelect: (target: Target) => void
  readonly onLog: (filter: { readonly task: string; readonly host?: string }) => void
}

/** What is known of the selected task or step. */
export function Detail(props: Props) {
  const { say } = useApp()
  const { selected } = props
  if (selected === null || selected.kind === 'module') return <p className="empty">{say('detail.none')}</p>
  return selected.kind === 'task' ? <TaskDetail {...props} index={selected.index} /> : <NodeDetail {...props} index={selected.index} />
}

type DetailProps = Props & { readonly index: number }

function TaskDetail({ run, now, index, onSelect, onLog }: DetailProps) {
  const { say } = useApp()
  const task = run.model.tasks[index]
  if (task === undefined) return null
  const span = taskSpan(run, task, now)
  return (
    <>
      <h2>{task.name}</h2>
      <TallyBar tally={run.tallyOf(index)} />
      <dl>
        <Row name={say('detail.module')}>{run.model.modules[task.module]?.name}</Row>
        <Row name={say('detail.state')}>
          <StateMark state={stateOf(run.tallyOf(index))} />
        </Row>
        {span === null ? null : <Row name={say('detail.took')}>{durationText(span.ms)}</Row>}
        {task.needs.length === 0 ? null : (
          <Row name={say('detail.needs')}>
            {task.needs.map((need) => (
              <button key={need} type="button" className="link" onClick={() => onSelect({ kind: 'task', index: need })}>
                {run.model.tasks[need]?.name}
              </button>
            ))}
          </Row>
        )}
      </dl>
      <h3>{say('detail.steps')}</h3>
      <ol className="steps">
        {task.rows.map((row) => (
          <li key={`${row.step} ${row.title}`}>
            <RowState run={run} row={row} onSelect={onSelect} />
          </li>
        ))}
      </ol>
      <button type="button" onClick={() => onLog({ task: task.name })}>
        {say('detail.log')}
      </button>
    </>
  )
}

function RowState({ run, row, onSelect }: { readonly run: Run; readonly row: StepRow; readonly onSelect: Props['onSelect'] }) {
  const tally = emptyTally()
  const nodes = row.cells.filter((node) => node >= 0)
  for (const node of nodes) tally[run.states[node] ?? 'pending']++
  const state = stateOf(tally)
  const telling = nodes.find((node) => run.states[node] === state) ?? nodes[0] ?? 0
  return (
    <button type="button" className="link step-row" onClick={() => onSelect({ kind: 'node', index: telling })}>
      <StateMark state={state} quiet /> <span>{row.title || row.step}</span>
      {nodes.length > 1 ? <small>{nodes.length}</small> : null}
    </button>
  )
}

function NodeDetail({ run, now, index, onSelect, onLog }: DetailProps) {
  const { say } = useApp()
  const errorText = useErrorText()
  const node = run.model.nodes[index]
  const task = run.model.tasks[node?.task ?? -1]
  if (node === undefined || task === undefined) return null
  const span = nodeSpan(run, index, now)
  const error = run.errors.get(index)
  const changes = run.changes.get(index)
  const attempts = run.attempts.get(index)
  const progress = run.progress.get(index)
  return (
    <>
      <h2>{node.title || node.step}</h2>
      {error === undefined ? null : (
        <ErrorView error={errorText(error)} seen={'seen' in error && typeof error.seen === 'string' ? error.seen : null} />
      )}
      <dl>
        <Row name={say('detail.state')}>
          <StateMark state={run.states[index] ?? 'pending'} />
        </Row>
        <Row name={say('detail.host')}>{node.host}</Row>
        <Row name={say('detail.task')}>
          <button type="button" className="link" onClick={() => onSelect({ kind: 'task', index: task.index })}>
            {task.name}
          </button>
        </Row>
        <Row name={say('detail.step')}>
          <code>{node.step}</code>
        </Row>
        {span === null ? null : <Row name={say('detail.started')}>{clockText(span.from)}</Row>}
        {span === null ? null : <Row name={say('detail.took')}>{durationText(span.ms)}</Row>}
        {attempts === undefined ? null : <Row name={say('detail.attempts')}>{attempts + 1}</Row>}
        {progress === undefined ? null : (
          <Row name={say('detail.progress')}>{Math.round((100 * progress.done) / Math.max(1, progress.total))} %</Row>
        )}
      </dl>
      {node.critical ? (
        <p className="hint">
          <span className="critical-swatch" /> {say('detail.onCritical')}
        </p>
      ) : null}
      {changes === undefined ? null : (
        <>
          <h3>{say('detail.changes')}</h3>
          <ul className="changes">
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </>
      )}
      <button type="button" onClick={() => onLog({ task: task.name, host: node.host })}>
        {say('detail.log')}
      </button>
    </>
  )
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
