import { type Code, KubexmError, type Language, type Parameters } from '../error/index.ts'
import type { Source } from './source.ts'

/** Something wrong in a config file: what, where, what was seen, what to write instead. */
export interface ConfigProblem {
  readonly severity: 'error' | 'warning'
  readonly code: Code
  readonly file: string
  /** Counted from one. */
  readonly line: number
  readonly col: number
  /** How many columns the value takes on its line. */
  readonly width: number
  /** The field as the user wrote it: `spec.roleGroups.worker[1]`; empty for the whole file. */
  readonly path: string
  readonly problem: string
  /** The value, secrets masked; null where there is none. */
  readonly seen: string | null
  readonly fix: string
  /** The line of the file, secrets masked. */
  readonly source: string
  readonly params: Readonly<Record<string, string | number>>
}

/** A stretch of the file: offsets in the parsed text, and the path of the field there. */
export interface Stretch {
  readonly start: number
  readonly end: number
  readonly path: string
}

const mostProblems = 1000

/** Collects problems; each code brings its own parameters, checked by the compiler. */
export class Problems {
  readonly #list: ConfigProblem[] = []
  readonly #source: Source

  constructor(source: Source) {
    this.#source = source
  }

  add<C extends Code>(severity: ConfigProblem['severity'], code: C, params: Parameters<C>, at: Stretch, seen: string | null = null): void {
    if (this.full) return
    const from = this.#source.position(at.start)
    const to = this.#source.position(Math.max(at.start, at.end))
    const source = this.#source.line(from.line)
    const width = to.line === from.line ? to.col - from.col : source.length - from.col + 1
    const { problem, fix } = new KubexmError(code, params).text('en')
    this.#list.push({
      severity,
      code,
      file: this.#source.file,
      ...from,
      width: Math.max(1, width),
      path: at.path,
      problem,
      seen,
      fix,
      source,
      params,
    })
  }

  /** Nobody mends more than this in one go; a file that is wrong throughout must not take minutes to say so. */
  get full(): boolean {
    return this.#list.length >= mostProblems
  }

  lineOf(offset: number): number {
    return this.#source.position(offset).line
  }

  get errors(): readonly ConfigProblem[] {
    return inOrder(this.#list.filter(({ severity }) => severity === 'error'))
  }

  get warnings(): readonly ConfigProblem[] {
    return inOrder(this.#list.filter(({ severity }) => severity === 'warning'))
  }
}

const inOrder = (problems: readonly ConfigProblem[]): readonly ConfigProblem[] =>
  problems.toSorted((a, b) => a.line - b.line || a.col - b.col)

/** A line longer than the screen is shown around the place, not from its start. */
const widestLine = 120

/** A problem for people: place, what is wrong, the line with a caret, what to do. */
export function renderProblem(problem: ConfigProblem, language: Language = 'en'): string {
  const { code, file, line, col, path, severity } = problem
  const words = new KubexmError(code, problem.params).text(language)
  const cut = col > widestLine - 20 ? col - 40 : 0
  const shown = problem.source.slice(cut, cut + widestLine).replaceAll('\t', ' ')
  const margin = String(line).padStart(6)
  const caret =
    ' '.repeat(Math.max(0, wide(shown.slice(0, col - 1 - cut)))) +
    '^'.repeat(Math.max(1, Math.min(wide(shown.slice(col - 1 - cut, col - 1 - cut + problem.width)), widestLine)))
  return [
    `${severity === 'error' ? '✗' : '!'} ${code}  ${file}:${line}:${col}  ${path === '' ? '' : `${path}: `}${words.problem}`,
    `${margin} │ ${shown}`,
    `${' '.repeat(6)} │ ${caret}`,
    `  ${language === 'en' ? 'Fix' : '修复'}: ${words.fix}`,
  ]
    .map(onOneLine)
    .join('\n')
}

/** A value or a path in the words may have lines of its own. */
const onOneLine = (text: string): string => text.replaceAll(/\s*[\n\r\u2028\u2029]\s*/g, ' ')

/** Chinese characters and full-width forms take two columns on a terminal. */
const wide = (text: string): number =>
  [...text].reduce((width, char) => width + (/[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦]/u.test(char) ? 2 : 1), 0)
