import type { KubexmError } from '../../error/index.ts'
import type { PathStep } from '../../event/index.ts'
import { formatMillis, type Millis } from '../../util/time.ts'
import type { Style } from '../style.ts'
import { cut, names, padded, width, wrap } from '../text.ts'
import { clockTime } from './estimate.ts'
import { finishedSteps, type RunView } from './state.ts'
import { hostCount } from './words.ts'

interface SummaryOptions {
  readonly style: Style
  readonly columns: number
  /** The command that continues this run. */
  readonly resumeCommand?: string
}

const labelColumns = 11

/** The last words of a run: how it ended, what was done, where the time went, and how to go on. */
export function summaryLines(
  view: RunView,
  errors: readonly KubexmError[],
  { style, columns, resumeCommand }: SummaryOptions,
): readonly string[] {
  const body = [
    ...[...view.results].flatMap(([label, said]) => labelled(label, resultLines(said, columns - labelColumns - 2), style)),
    ...labelled('steps', packed(counts(view, style), ` ${style.icons.dot} `, columns - labelColumns - 2), style),
    ...labelled('failed', failures(errors, columns - labelColumns - 2), style),
    ...labelled('given up', view.lost.size === 0 ? [] : [names([...view.lost], columns - labelColumns - 2)], style),
    ...labelled('time', packed(moduleTimes(view), ` ${style.icons.dot} `, columns - labelColumns - 2), style),
    ...slowest(view, columns - labelColumns - 2, style),
    ...(view.finished?.outcome === 'success' ? [] : labelled('continue', [resumeCommand ?? 'run the same command with --resume'], style)),
  ]
  return ['', headline(view, style), '', ...body]
}

function headline(view: RunView, style: Style): string {
  const { icons } = style
  const time = clockTimeOrLess(view.finished?.ms ?? 0)
  const on = `on ${hostCount(view)}`
  switch (view.finished?.outcome) {
    case 'failed':
      return style.bad(style.strong(`${icons.failed} ${view.pipeline} failed after ${time} ${on}`))
    case 'cancelled':
      return style.caution(style.strong(`${icons.warning} ${view.pipeline} was cancelled after ${time} ${on}`))
    default: {
      const nothing = view.tally.succeeded === 0 ? ': nothing to change' : ''
      return style.good(style.strong(`${icons.done} ${view.pipeline} succeeded in ${time} ${on}${nothing}`))
    }
  }
}

const clockTimeOrLess = (ms: Millis): string => (ms < 60_000 ? formatMillis(ms) : clockTime(ms))

function counts(view: RunView, style: Style): readonly string[] {
  const { tally } = view
  const parts: readonly (readonly [number, string, ((text: string) => string)?])[] = [
    [tally.succeeded, 'changed'],
    [tally.satisfied, 'already right'],
    [tally.resumed, 'resumed'],
    [tally.failed, 'failed', style.bad],
    [tally.cancelled, 'cancelled', style.caution],
    [Math.max(0, view.total - finishedSteps(tally)), 'not reached', style.caution],
    [tally['rolled-back'], 'undone'],
    [tally['rollback-failed'], 'could not be undone', style.bad],
  ]
  const shown = parts.filter(([n], i) => n > 0 || i < 2)
  return shown.map(([n, label, paint = (text) => text]) => paint(`${n} ${label}`))
}

/** Each kind of failure once, with its hosts: the full text stands above. */
function failures(errors: readonly KubexmError[], columns: number): readonly string[] {
  const groups = new Map<string, string[]>()
  for (const { code, where } of errors) {
    const key = [code, where.step ?? where.task ?? ''].join('  ').trimEnd()
    groups.set(key, [...(groups.get(key) ?? []), ...(where.host === undefined ? [] : [where.host])])
  }
  return [...groups].flatMap(([what, hosts]) =>
    wrap(hosts.length === 0 ? what : `${what} on ${names(hosts, Math.max(24, columns - width(what) - 4))}`, columns),
  )
}

function moduleTimes(view: RunView): readonly string[] {
  return [...view.modules.values()].flatMap((module) => {
    const tasks = [...module.tasks.values()].filter((task) => task.startedAt !== null)
    if (tasks.length === 0) return []
    const end = view.startedAt + (view.finished?.ms ?? 0)
    const ms = Math.max(...tasks.map((task) => task.endedAt ?? end)) - Math.min(...tasks.map((task) => task.startedAt ?? end))
    return [`${module.name} ${clockTimeOrLess(ms)}`]
  })
}

/** What was said of the whole, or of hosts: a text that is the same on several hosts is told once. */
function resultLines(said: ReadonlyMap<string, readonly string[]>, columns: number): readonly string[] {
  return [...said].flatMap(([text, hosts]) => {
    if (hosts.length === 0) return [text]
    const room = Math.max(16, columns - width(text) - 2)
    return wrap(`${names(hosts, room)}: ${text}`, columns)
  })
}

/**
 * The steps of the critical path that took longest: what to make faster if the whole is to be faster. The path is the one that was
 * measured; of a run whose end is not told, the one that was expected.
 */
function slowest(view: RunView, columns: number, style: Style): readonly string[] {
  const measured = view.finished?.criticalPath ?? []
  const path = measured.length > 0 ? measured : [...view.criticalTimes.values()]
  const steps = path.filter(({ ms }) => ms >= 1000).sort((a, b) => b.ms - a.ms)
  const lines = stepLines(steps.slice(0, measured.length > 0 ? 5 : 3), columns)
  if (measured.length === 0 || lines.length === 0) return labelled('slowest', lines, style)
  const total = measured.reduce((sum, { ms }) => sum + ms, 0)
  return labelled('critical', [`${measured.length} steps in a row took ${clockTimeOrLess(total)}, most of it:`, ...lines], style)
}

function stepLines(shown: readonly PathStep[], columns: number): readonly string[] {
  const title = Math.min(Math.max(...shown.map((step) => width(step.title)), 0), Math.floor(columns * 0.55))
  const host = Math.min(Math.max(...shown.map((step) => width(step.host)), 0), 24)
  return shown.map((step) => cut(`${padded(step.title, title)}  ${padded(step.host, host)}  ${formatMillis(step.ms).padStart(9)}`, columns))
}

/** As many parts a line as fit. */
function packed(parts: readonly string[], separator: string, columns: number): readonly string[] {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    if (last !== undefined && width(last + separator + part) <= columns) lines[lines.length - 1] = last + separator + part
    else lines.push(part)
  }
  return lines
}

function labelled(label: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.map((line, i) => `  ${style.faint(padded(i === 0 ? label : '', labelColumns - 2))}  ${line}`)
}
