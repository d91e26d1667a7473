import { type DragEvent, useRef, useState } from 'react'
import { ApiError, type RunChoices } from '../api/client.ts'
import type { ConfigProblem } from '../api/types.ts'
import { mayChange, useApp } from '../app/context.ts'
import { go, jobRoute } from '../app/route.ts'
import { offsetOf } from '../editor/edit.ts'
import { Editor } from '../editor/editor.tsx'
import { starter } from '../editor/starter.ts'
import { type Checked, useValidation } from '../editor/use-validation.ts'
import type { Say } from '../i18n/text.ts'
import { ProblemBox } from '../parts/problem-box.tsx'
import { SubmitOptions } from './submit-options.tsx'

/** Where a config is written, checked as it is written, and submitted. */
export function SubmitPage() {
  const { api, say, session } = useApp()
  const [text, setText] = useState('')
  const [choices, setChoices] = useState<RunChoices>({})
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const [key, setKey] = useState(() => crypto.randomUUID())
  const checked = useValidation(api, text)
  const problems = problemsOf(checked, refused)
  const field = useRef<HTMLTextAreaElement>(null)
  const errors = problems.filter(({ severity }) => severity === 'error').length

  const write = (next: string): void => {
    setText(next)
    setRefused(null)
    // Another text is another request.
    setKey(crypto.randomUUID())
  }
  const goTo = ({ line, col, width }: ConfigProblem): void => {
    const element = field.current
    if (element === null) return
    const at = offsetOf(text, line, col)
    element.focus()
    element.setSelectionRange(at, Math.min(text.length, at + width))
    element.scrollTop = Math.max(0, (line - 8) * lineHeight)
  }
  const nextProblem = (): void => {
    const caret = field.current?.selectionStart ?? 0
    const next = problems.find(({ line, col }) => offsetOf(text, line, col) > caret) ?? problems[0]
    if (next !== undefined) goTo(next)
  }
  const submit = async (): Promise<void> => {
    setBusy(true)
    try {
      go(jobRoute((await api.createCluster(text, choices, key)).job_id))
    } catch (why) {
      setRefused(why)
      setBusy(false)
    }
  }
  const open = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) write(await file.text())
  }
  const drop = (event: DragEvent): void => {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    void open(event.dataTransfer.files[0])
  }

  if (!mayChange(session)) return <p className="empty">{say('submit.viewer')}</p>
  return (
    <section className="page submit-page" onDragOver={(event) => event.preventDefault()} onDrop={drop} aria-label={say('submit.title')}>
      <header className="head">
        <h1>{say('submit.title')}</h1>
        <div className="actions">
          <label className="button">
            {say('submit.open')}
            <input className="hidden" type="file" accept=".yaml,.yml,.json" onChange={(event) => void open(event.target.files?.[0])} />
          </label>
          <button type="button" onClick={() => write(starter)}>
            {say('submit.example')}
          </button>
        </div>
      </header>
      <Editor text={text} onText={write} problems={problems} field={field} onNextProblem={nextProblem} />
      <p className="hint" id="editor-keys">
        {say('submit.keys')} {say('submit.secrets')}
      </p>
      <Verdict checked={checked} problems={problems} empty={text.trim() === ''} onProblem={goTo} />
      {refused === null || (refused instanceof ApiError && refused.refusal.errors.length > 0) ? null : (
        <ProblemBox problem={refused} say={say} />
      )}
      <SubmitOptions choices={choices} onChoices={setChoices} />
      <button
        type="button"
        className="primary"
        disabled={busy || text.trim() === '' || errors > 0 || checked.checking}
        onClick={() => void submit()}
      >
        {say(busy ? 'submit.busy' : choices.rehearse === true ? 'submit.submitRehearsal' : 'submit.submit')}
      </button>
    </section>
  )
}

/** The height of a line in the editor, as the style sheet has it. */
const lineHeight = 20

/** What a refused submission says is newer than what the check said. */
function problemsOf({ validation }: Checked, refused: unknown): readonly ConfigProblem[] {
  const all =
    refused instanceof ApiError && refused.refusal.errors.length > 0
      ? refused.refusal.errors
      : [...(validation?.errors ?? []), ...(validation?.warnings ?? [])]
  return all.toSorted((a, b) => a.line - b.line || a.col - b.col)
}

interface VerdictProps {
  readonly checked: Checked
  readonly problems: readonly ConfigProblem[]
  readonly empty: boolean
  readonly onProblem: (problem: ConfigProblem) => void
}

/** How many errors and warnings there are, in words; what there is none of is not said. */
function countText(say: Say, errors: number, warnings: number): string {
  const parts = [
    ...(errors === 0 ? [] : [say(errors === 1 ? 'submit.error' : 'submit.errors', { n: errors })]),
    ...(warnings === 0 ? [] : [say(warnings === 1 ? 'submit.warning' : 'submit.warnings', { n: warnings })]),
  ]
  return parts.join(', ')
}

function Verdict({ checked, problems, empty, onProblem }: VerdictProps) {
  const { say } = useApp()
  const { validation, checking, problem } = checked
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const summary = empty
    ? say('submit.empty')
    : checking || validation === null
      ? say('submit.validating')
      : errors === 0
        ? say('submit.valid', { name: validation.cluster ?? '' })
        : countText(say, errors, problems.length - errors)
  return (
    <div className="verdict">
      <p role="status" className={empty || checking ? 'hint' : errors === 0 ? 'good' : 'bad'}>
        {summary}
      </p>
      {problem === null ? null : <ProblemBox problem={problem} say={say} />}
      <ul>
        {problems.map((item) => (
          <li key={`${item.line} ${item.col} ${item.code} ${item.problem}`} className={`of-${item.severity}`}>
            <button type="button" className="link" onClick={() => onProblem(item)}>
              {say('submit.line', { line: item.line, col: item.col })}
            </button>{' '}
            <code>{item.path}</code> {item.problem}
            {item.fix === '' ? null : <span className="fix"> {item.fix}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}
