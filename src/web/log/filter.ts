import type { LogEntry } from '../run/run.ts'
import { type LogLevel, levelOf, levels } from './log-text.ts'

export interface LogFilter {
  readonly level: LogLevel
  readonly host: string
  readonly task: string
  readonly text: string
}

/** The lines that pass a filter so far; it is extended as the log grows, since looking at all lines each time would be slow. */
export class FilteredLog {
  readonly lines: LogEntry[] = []
  readonly #passes: (entry: LogEntry) => boolean
  #seen = 0

  constructor({ level, host, task, text }: LogFilter, wordsOf: (entry: LogEntry) => string) {
    const least = levels.indexOf(level)
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    this.#passes = (entry) => {
      const { event } = entry
      if (host !== '' && event.host !== host) return false
      if (task !== '' && event.task !== task) return false
      if (levels.indexOf(levelOf(event)) < least) return false
      if (words.length === 0) return true
      const line = `${event.host ?? ''} ${event.task ?? ''} ${event.step ?? ''} ${wordsOf(entry)}`.toLowerCase()
      return words.every((word) => line.includes(word))
    }
  }

  /** Takes in what the log has more than before, and lets go what it has no longer. */
  extend(log: readonly LogEntry[]): readonly LogEntry[] {
    const start = log.findLastIndex(({ seq }) => seq <= this.#seen) + 1
    for (let at = start; at < log.length; at++) {
      const entry = log[at]
      if (entry !== undefined && this.#passes(entry)) this.lines.push(entry)
    }
    this.#seen = log.at(-1)?.seq ?? this.#seen
    const oldest = log[0]?.seq ?? 0
    if ((this.lines[0]?.seq ?? oldest) < oldest)
      this.lines.splice(
        0,
        this.lines.findIndex(({ seq }) => seq >= oldest),
      )
    return this.lines
  }
}
