import type { Language } from '../../error/index.ts'
import type { Level, RunEvent } from '../../event/index.ts'
import { type Style, styleOf } from '../style.ts'
import { harmless } from '../text.ts'
import { Failures } from './failures.ts'
import { findingLines, type HostFinding } from './findings.ts'
import type { RunView } from './state.ts'
import { summaryLines } from './summary.ts'

export interface PermanentOptions {
  readonly color: boolean
  readonly unicode: boolean
  readonly language: Language
  /** Also what commands print, and notes for the curious. */
  readonly verbose: boolean
  readonly resumeCommand?: string
}

/** What is worth keeping on the screen after it happened: failures, findings, notes and the summary. The same on a terminal and in a pipe. */
export class Permanent {
  readonly style: Style
  readonly #options: PermanentOptions
  readonly #failures: Failures
  #lastLine = ''
  readonly #findings = new Map<string, HostFinding[]>()

  constructor(options: PermanentOptions) {
    this.#options = options
    this.style = styleOf(options)
    this.#failures = new Failures(options)
  }

  /** Whether what was kept last ends with a blank line, or nothing was. */
  get endsBlank(): boolean {
    return this.#lastLine === ''
  }

  /** Blocks bring a blank line before and after: two blocks need only one between them, and the first none before it. */
  spaced(lines: readonly string[]): readonly string[] {
    return lines.filter((line) => {
      const again = line === '' && this.#lastLine === ''
      this.#lastLine = line
      return !again
    })
  }

  /** The lines an event leaves behind. */
  linesOf(event: RunEvent, view: RunView | null, columns: number): readonly string[] {
    switch (event.type) {
      case 'step.finished':
        return event.error === undefined ? [] : this.#failures.tell(event.error, columns)
      case 'host.lost':
        return this.#failures.tell(event.error, columns)
      case 'finding':
        this.#keep(event)
        return []
      case 'task.finished':
        return this.#findingsOf(`${event.module}/${event.task}`, columns)
      case 'note':
        return this.#note(event)
      case 'step.line':
        return this.#options.verbose ? [this.style.faint(`${this.#place(event)}${harmless(event.line)}`)] : []
      case 'step.retrying': {
        const { caution, icons } = this.style
        const line = `${icons.retry} ${this.#place(event)}${harmless(event.title)}: try ${event.attempt} failed, trying again: ${harmless(event.error.message)}`
        return this.#options.verbose ? [caution(line)] : []
      }
      case 'pipeline.finished':
        return this.#end(event, view, columns)
      default:
        return []
    }
  }

  #end(event: Extract<RunEvent, { type: 'pipeline.finished' }>, view: RunView | null, columns: number): readonly string[] {
    const findings = [...this.#findings.keys()].flatMap((task) => this.#findingsOf(task, columns))
    const errors = event.errors.flatMap((error) => this.#failures.tell(error, columns))
    if (view === null) return [...findings, ...errors]
    const { resumeCommand } = this.#options
    const summary = summaryLines(view, event.errors, {
      style: this.style,
      columns,
      ...(resumeCommand === undefined ? {} : { resumeCommand }),
    })
    return [...findings, ...errors, ...summary]
  }

  #note(event: Extract<RunEvent, { type: 'note' }>): readonly string[] {
    if (event.level === 'debug' && !this.#options.verbose) return []
    const [paint, icon] = this.#noteLook(event.level)
    return [
      `${paint(icon)} ${this.#place(event)}${event.level === 'debug' ? this.style.faint(harmless(event.message)) : harmless(event.message)}`,
    ]
  }

  #noteLook(level: Level): readonly [(text: string) => string, string] {
    const { style } = this
    if (level === 'error') return [style.bad, style.icons.failed]
    return level === 'warn' ? [style.caution, style.icons.warning] : [style.faint, style.icons.dot]
  }

  #place(event: RunEvent): string {
    return event.host === undefined ? '' : `${event.host} ${this.style.icons.rail} `
  }

  #keep(event: Extract<RunEvent, { type: 'finding' }>): void {
    const task = `${event.module}/${event.task}`
    const kept = this.#findings.get(task)
    const found = { host: event.host ?? 'local', finding: event.finding }
    if (kept === undefined) this.#findings.set(task, [found])
    else kept.push(found)
  }

  #findingsOf(task: string, columns: number): readonly string[] {
    const found = this.#findings.get(task)
    this.#findings.delete(task)
    return found === undefined ? [] : ['', ...findingLines(found, this.style, columns), '']
  }
}
