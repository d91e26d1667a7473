import { KubexmError, type Language } from '../error/index.ts'
import { type Style, styleOf } from './style.ts'
import { harmless, width, wrap } from './text.ts'

interface RenderOptions {
  readonly language?: Language
  readonly color?: boolean
  readonly unicode?: boolean
  readonly columns?: number
}

const words = {
  en: { fix: 'Fix: ', because: 'because ', inside: 'in ', colon: ': ', nothing: '(and {n} lines before)' },
  zh: { fix: '解决：', because: '原因：', inside: '位于 ', colon: '：', nothing: '（之前还有 {n} 行）' },
} as const

/** More of a command's output than this hides the fix below it; the rest is in the log. */
const mostSeen = 20

/** An error for people: what failed and where, what was seen, what to do. */
export function renderError(
  error: KubexmError,
  { language = 'en', color = false, unicode = true, columns = 100 }: RenderOptions = {},
): string {
  const style = styleOf({ color, unicode })
  const { problem, fix } = error.text(language)
  const say = words[language]
  const lines = [
    ...headline(error, harmless(problem), say.colon, style, columns),
    ...placeOf(error, style, say.inside),
    ...seenOf(error, problem, say.nothing, style),
    ...causesOf(error, language).map((cause) => style.faint(`  ${say.because}${cause}`)),
    ...fixOf(harmless(fix), say.fix, columns).map((line) => `  ${style.accent(line)}`),
  ]
  return lines.join('\n')
}

function headline(error: KubexmError, problem: string, colon: string, style: Style, columns: number): readonly string[] {
  const start = `${style.icons.failed} ${error.code}  `
  const place = error.where.host === undefined ? '' : `${error.where.host}${colon}`
  const [first = '', ...rest] = problem
    .split('\n')
    .flatMap((line, i) => wrap(i === 0 ? place + line : line, Math.max(20, columns - width(start))))
  const painted = place !== '' && first.startsWith(place) ? style.strong(place) + first.slice(place.length) : first
  return [`${style.bad(style.strong(start.trimEnd()))}  ${painted}`, ...rest.map((line) => `  ${line}`)]
}

function placeOf({ where }: KubexmError, style: Style, inside: string): readonly string[] {
  const path = [where.module, where.task, where.step].filter((part) => part !== undefined)
  return path.length === 0 ? [] : [style.faint(`  ${inside}${path.join(` ${style.icons.into} `)}`)]
}

function seenOf(error: KubexmError, problem: string, before: string, style: Style): readonly string[] {
  const seen = harmless(error.seen ?? '').replace(/^\n+|\s+$/g, '')
  if (seen === '' || problem.includes(seen)) return []
  const lines = seen.split('\n')
  const left = lines.length - mostSeen
  const shown = left > 0 ? [style.faint(before.replace('{n}', String(left))), ...lines.slice(-mostSeen)] : lines
  return shown.map((line) => `  ${line}`)
}

/** What each cause adds: a cause whose words are already there says nothing new. */
function causesOf(error: KubexmError, language: Language): readonly string[] {
  const told: string[] = [error.text(language).problem, error.seen ?? '']
  const causes: string[] = []
  let cause = error.cause
  for (let depth = 0; depth < 4 && cause instanceof Error; depth++, cause = cause.cause) {
    const text = harmless(cause instanceof KubexmError ? cause.text(language).problem : cause.message).trim()
    if (text !== '' && !told.some((known) => known.includes(text))) causes.push(text.replaceAll('\n', '\n    '))
    told.push(text)
  }
  return causes
}

/** Prose is broken at blanks; a fix that holds a command is left in one piece, since half a command pasted into a shell does harm. */
function fixOf(fix: string, label: string, columns: number): readonly string[] {
  const text = label + fix
  if (/["'`$|>=/]/.test(fix)) return text.split('\n')
  const indent = ' '.repeat(width(label))
  return wrap(text, Math.max(20, columns - 2 - indent.length)).map((line, i) => (i === 0 ? line : indent + line))
}
