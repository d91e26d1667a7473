import type { KubexmError, Language } from '../error/index.ts'
import { type Finding, findingText } from '../event/index.ts'
import { type Style, styleOf } from './style.ts'
import { cut, harmless, padded, width, wrap } from './text.ts'

/** What preflight found, by host in the order of the config. */
export interface PreflightReport {
  readonly hosts: readonly {
    readonly name: string
    readonly address: string
    readonly roles: readonly string[]
    readonly findings: readonly Finding[]
    /** Checks that could not be made, and why. */
    readonly unchecked: readonly { readonly check: string; readonly error: KubexmError }[]
  }[]
}

interface Look {
  readonly color: boolean
  readonly columns: number
  readonly language: Language
}

/** One row of the table: a finding, or a check that could not be made. */
interface Row extends Pick<Finding, 'severity' | 'code' | 'problem' | 'fix'> {}

const words = {
  en: { fix: 'Fix: ', nothing: 'nothing to complain about', fit: 'the hosts are fit', stop: 'the hosts are not fit yet', colon: ': ' },
  zh: { fix: '修复：', nothing: '没有问题', fit: '主机满足要求', stop: '主机尚不满足要求', colon: '。' },
} as const

/** The table of a preflight: every host with what was found there, errors first, each with code, what was seen and the fix. */
export function renderPreflight({ hosts }: PreflightReport, { color, columns, language }: Look): string {
  const style = styleOf({ color })
  const rows = hosts.map((host) => ({ ...host, rows: rowsOf(host, language) }))
  const codeWidth = Math.max(0, ...rows.flatMap((host) => host.rows.map(({ code }) => width(code))))
  const table = rows.flatMap(({ name, address, roles, rows: own }) => {
    const title = style.strong(name) + style.faint(cut(`  ${address}  ${roles.join(', ')}`.trimEnd(), Math.max(10, columns - width(name))))
    const lines = own.flatMap((row) => rowLines(row, codeWidth, style, columns, language))
    return [title, ...(own.length === 0 ? [`  ${style.good(style.icons.done)} ${words[language].nothing}`] : lines), '']
  })
  return `${[...table, summaryOf(rows, style, language)].join('\n')}\n`
}

function rowsOf({ findings, unchecked }: PreflightReport['hosts'][number], language: Language): readonly Row[] {
  const found = findings.map((finding) => ({ severity: finding.severity, code: finding.code, ...findingText(finding, language) }))
  const failed = unchecked.map(({ check, error }) => {
    const { problem, fix } = error.text(language)
    return { severity: 'error', code: error.code, problem: `${check}: ${problem}`, fix } as const
  })
  // Checks end in any order; the table must not depend on it.
  const sorted = found.toSorted((a, b) => a.code.localeCompare(b.code) || a.problem.localeCompare(b.problem))
  return [...failed, ...sorted.filter(isError), ...sorted.filter((row) => !isError(row))]
}

const isError = ({ severity }: Pick<Finding, 'severity'>): boolean => severity === 'error'

/** Icon and code to the left, the words beside them; a fix may be a command and is left in one piece where it is one. */
function rowLines(row: Row, codeWidth: number, style: Style, columns: number, language: Language): readonly string[] {
  const [paint, icon] = isError(row) ? [style.bad, style.icons.failed] : [style.caution, style.icons.warning]
  const indent = ' '.repeat(codeWidth + 6)
  const room = Math.max(30, columns - indent.length)
  const [first = '', ...more] = wrap(harmless(row.problem), room)
  const fix = `${words[language].fix}${harmless(row.fix)}`
  return [
    `  ${paint(`${icon} ${padded(row.code, codeWidth)}`)}  ${first}`,
    ...more.map((line) => indent + line),
    ...wrap(fix, room).map((line) => style.faint(indent + line)),
  ]
}

function summaryOf(hosts: readonly { readonly rows: readonly Row[] }[], style: Style, language: Language): string {
  const all = hosts.flatMap(({ rows }) => rows)
  const errors = all.filter(isError).length
  const warnings = all.length - errors
  const counts =
    language === 'zh'
      ? `${hosts.length} 台主机：${errors} 个错误，${warnings} 个警告`
      : `${plural(errors, 'error')} and ${plural(warnings, 'warning')} on ${plural(hosts.length, 'host')}`
  const { fit, stop, colon } = words[language]
  return errors > 0
    ? style.bad(style.strong(`${style.icons.failed} ${stop}${colon}${counts}`))
    : style.good(style.strong(`${style.icons.done} ${fit}${colon}${counts}`))
}

const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
