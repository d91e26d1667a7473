import type { KubexmError, Language } from '../../error/index.ts'
import { renderError } from '../render-error.ts'
import { type Style, styleOf } from '../style.ts'
import { cut } from '../text.ts'

/** After so many alike only the summary counts them: three hundred hosts that fail the same way have one story to tell. */
const mostAlike = 5

interface FailureOptions {
  readonly color: boolean
  readonly unicode: boolean
  readonly language: Language
}

/** Tells each failure once: the first of its kind in full, the next ones in a line. */
export class Failures {
  readonly #told = new Set<string>()
  readonly #alike = new Map<string, number>()
  readonly #options: FailureOptions
  readonly #style: Style

  constructor(options: FailureOptions) {
    this.#options = options
    this.#style = styleOf(options)
  }

  /** What is to be printed about this error: nothing when it has been told before. */
  tell(error: KubexmError, columns: number): readonly string[] {
    const { host, task, step } = error.where
    const identity = [error.code, host, task, step, error.message].join('\n')
    if (this.#told.has(identity)) return []
    this.#told.add(identity)
    const kind = [error.code, task, step].join('\n')
    const before = this.#alike.get(kind) ?? 0
    this.#alike.set(kind, before + 1)
    if (before === 0 || host === undefined) return ['', ...renderError(error, { ...this.#options, columns }).split('\n'), '']
    if (before > mostAlike) return []
    const { bad, faint, icons } = this.#style
    if (before === mostAlike) return [faint('  … more of these are counted at the end')]
    return [
      `${bad(`${icons.failed} ${error.code}`)}  ${cut(`${host}: ${error.text(this.#options.language).problem.split('\n')[0]}`, Math.max(20, columns - error.code.length - 5))}`,
    ]
  }
}
