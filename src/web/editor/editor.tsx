import { type KeyboardEvent, type RefObject, useMemo, useRef } from 'react'
import type { ConfigProblem } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { type Edited, indented, newLine, outdented } from './edit.ts'
import { piecesOf } from './highlight.ts'

interface Props {
  readonly text: string
  readonly onText: (text: string) => void
  readonly problems: readonly ConfigProblem[]
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onNextProblem: () => void
}

/** A text field with line numbers, colours under the text, and marks where something is wrong. */
export function Editor({ text, onText, problems, field, onNextProblem }: Props) {
  const { say } = useApp()
  const lines = useMemo(() => text.split('\n'), [text])
  const byLine = useMemo(() => Map.groupBy(problems, (problem) => problem.line), [problems])
  const gutter = useRef<HTMLDivElement>(null)
  const paint = useRef<HTMLPreElement>(null)
  const leaving = useRef(false)

  const edit = (event: KeyboardEvent<HTMLTextAreaElement>, change: (before: Edited) => Edited): void => {
    event.preventDefault()
    const element = event.currentTarget
    const after = change({ text: element.value, start: element.selectionStart, end: element.selectionEnd })
    onText(after.text)
    requestAnimationFrame(() => element.setSelectionRange(after.start, after.end))
  }
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // Tab belongs to the text; Escape gives it back to the page, so that nobody is caught here.
    const free = leaving.current
    leaving.current = event.key === 'Escape'
    if (event.key === 'F8') {
      event.preventDefault()
      onNextProblem()
    } else if (event.key === 'Tab' && !free) edit(event, event.shiftKey ? outdented : indented)
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) edit(event, newLine)
  }
  const follow = (element: HTMLTextAreaElement): void => {
    if (gutter.current !== null) gutter.current.style.transform = `translateY(${-element.scrollTop}px)`
    if (paint.current !== null) paint.current.style.transform = `translate(${-element.scrollLeft}px, ${-element.scrollTop}px)`
  }

  return (
    <div className="editor">
      <div className="gutter-frame" aria-hidden="true">
        <div className="gutter" ref={gutter}>
          {lines.map((_, at) => {
            const here = byLine.get(at + 1) ?? []
            const worst = here.some(({ severity }) => severity === 'error') ? 'error' : here.length > 0 ? 'warning' : ''
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
              <div key={at} className={worst} title={here.map(({ problem }) => problem).join('\n')}>
                {at + 1}
              </div>
            )
          })}
        </div>
      </div>
      <div className="paper">
        <pre ref={paint} aria-hidden="true">
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <Line key={at} line={line} problems={byLine.get(at + 1)} />
          ))}
        </pre>
        <textarea
          ref={field}
          value={text}
          aria-label={say('submit.config')}
          aria-describedby="editor-keys"
          aria-invalid={problems.some(({ severity }) => severity === 'error')}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          wrap="off"
          onChange={(event) => onText(event.target.value)}
          onKeyDown={keys}
          onScroll={(event) => follow(event.currentTarget)}
        />
      </div>
    </div>
  )
}

const none: readonly ConfigProblem[] = []

function Line({ line, problems = none }: { readonly line: string; readonly problems?: readonly ConfigProblem[] | undefined }) {
  const pieces = useMemo(() => piecesOf(line, problems), [line, problems])
  return (
    <>
      {pieces.map(({ text, kind, mark }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no name
        <span key={at} className={`${kind} ${mark === null ? '' : `marked ${mark}`}`}>
          {text}
        </span>
      ))}
      {'\n'}
    </>
  )
}
