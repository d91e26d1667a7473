import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useApp } from '../app/context.ts'
import { clockText } from '../i18n/time.ts'
import { useErrorText } from '../i18n/use-error-text.ts'
import { Icon } from '../parts/icon.tsx'
import { useBox } from '../parts/use-box.ts'
import { shownRows } from '../parts/window.ts'
import type { LogEntry, Run } from '../run/run.ts'
import { FilteredLog, type LogFilter } from './filter.ts'
import { type LogLevel, levelOf, levels, lineOf } from './log-text.ts'

interface Props {
  readonly run: Run
  readonly version: number
  readonly filter: LogFilter
  readonly onFilter: (filter: LogFilter) => void
  readonly download: string
}

/** The height of a line, as the style sheet has it. */
const rowHeight = 20

/** The log as it grows: filtered, and only as much of it on the page as can be seen. */
export function LogView({ run, version, filter, onFilter, download }: Props) {
  const { say } = useApp()
  const errorText = useErrorText()
  const words = useCallback((entry: LogEntry) => lineOf(entry.event, say, errorText), [say, errorText])
  const { level, host, task, text } = filter
  const filtered = useMemo(() => new FilteredLog({ level, host, task, text }, words), [level, host, task, text, words])
  const lines = filtered.extend(run.log)
  const { ref: frame, height } = useBox<HTMLDivElement>()
  const [scrolled, setScrolled] = useState(0)
  const [following, setFollowing] = useState(true)
  const [chosen, setChosen] = useState<LogEntry | null>(null)
  const { first, end } = shownRows(lines.length, rowHeight, scrolled, height)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version may have made the log longer
  useLayoutEffect(() => {
    if (following && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight
  }, [following, version, filtered, height, frame])
  const last = useRef(0)
  const onScroll = (): void => {
    const element = frame.current
    if (element === null) return
    setScrolled(element.scrollTop)
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < rowHeight * 1.5
    // Scrolling up is what ends following; the log growing is not.
    if (element.scrollTop < last.current && !atEnd) setFollowing(false)
    else if (atEnd) setFollowing(true)
    last.current = element.scrollTop
  }
  useEffect(() => {
    last.current = 0
  }, [])

  return (
    <div className="log">
      <LogBar
        run={run}
        filter={filter}
        onFilter={onFilter}
        count={lines.length}
        following={following}
        onFollow={setFollowing}
        download={download}
      />
      {run.dropped === 0 ? null : <p className="hint">{say('log.dropped', { n: run.dropped })}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must be able to reach it */}
      <div className="log-frame" ref={frame} onScroll={onScroll} role="log" aria-label={say('log.label')} aria-live="off" tabIndex={0}>
        {lines.length === 0 ? <p className="empty">{say('log.empty')}</p> : null}
        <div className="log-lines" style={{ height: lines.length * rowHeight }}>
          {lines.slice(first, end).map((entry, at) => (
            <LogLine key={entry.seq} entry={entry} words={words} top={(first + at) * rowHeight} onChoose={setChosen} />
          ))}
        </div>
      </div>
      {chosen === null ? null : (
        <div className="log-chosen">
          <p className="place">
            <time>{clockText(Date.parse(chosen.event.at))}</time>
            {[chosen.event.host, chosen.event.task, chosen.event.step].filter((part) => part !== undefined).join(' · ')}
          </p>
          <pre>{words(chosen)}</pre>
          <button type="button" className="quiet dialog-close" aria-label={say('app.close')} onClick={() => setChosen(null)}>
            ×
          </button>
        </div>
      )}
    </div>
  )
}

interface LineProps {
  readonly entry: LogEntry
  readonly words: (entry: LogEntry) => string
  readonly top: number
  readonly onChoose: (entry: LogEntry) => void
}

function LogLine({ entry, words, top, onChoose }: LineProps) {
  const { event } = entry
  const text = words(entry)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a pointer's way to a long line's end; the keyboard scrolls to it
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div
      className={`log-line level-${levelOf(event)} of-${event.type.replace('.', '-')}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onChoose(entry)}
    >
      <time dateTime={event.at}>{clockText(Date.parse(event.at))}</time>
      <span className="at">{event.host ?? ''}</span>
      <span className="at">{event.task ?? ''}</span>
      <span className="words" title={text}>
        {text}
      </span>
    </div>
  )
}

interface BarProps extends Pick<Props, 'run' | 'filter' | 'onFilter' | 'download'> {
  readonly count: number
  readonly following: boolean
  readonly onFollow: (following: boolean) => void
}

function LogBar({ run, filter, onFilter, count, following, onFollow, download }: BarProps) {
  const { say } = useApp()
  const hosts = run.model.hosts
  const tasks = useMemo(() => [...new Set(run.model.tasks.map((task) => task.name))], [run.model])
  return (
    <div className="bar">
      <label className="search">
        <Icon name="search" />
        <span className="hidden">{say('log.filter')}</span>
        <input
          type="search"
          placeholder={say('log.filter')}
          value={filter.text}
          onChange={(event) => onFilter({ ...filter, text: event.target.value })}
        />
      </label>
      <Choice
        name={say('log.level')}
        value={filter.level}
        onChange={(level) => onFilter({ ...filter, level: level as LogLevel })}
        options={levels.map((level) => [level, say(`log.level.${level}`)])}
      />
      <Choice
        name={say('log.host')}
        value={filter.host}
        onChange={(host) => onFilter({ ...filter, host })}
        options={withAll(say('log.all'), hosts)}
      />
      <Choice
        name={say('log.task')}
        value={filter.task}
        onChange={(task) => onFilter({ ...filter, task })}
        options={withAll(say('log.all'), tasks)}
      />
      <span className="spring" />
      <output>{say('log.lines', { n: count })}</output>
      <button type="button" aria-pressed={following} onClick={() => onFollow(!following)}>
        <Icon name="down" /> {say('log.follow')}
      </button>
      <a className="button" href={download} download>
        {say('job.log.download')}
      </a>
    </div>
  )
}

const withAll = (all: string, names: readonly string[]): readonly (readonly [string, string])[] => [
  ['', all],
  ...names.map((name) => [name, name] as const),
]

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChange: (value: string) => void
}

function Choice({ name, value, options, onChange }: ChoiceProps) {
  return (
    <label className="choice">
      {name}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
