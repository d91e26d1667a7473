import { mend } from './mend.ts'

/** A place in a file, counted from one, as editors do. */
export interface Position {
  readonly line: number
  readonly col: number
}

/**
 * The text of a config file and the text the parser is given. The two have the same lines; where a tab was replaced by
 * spaces the columns differ, and `position` counts in the text the user wrote.
 */
export class Source {
  readonly file: string
  readonly parsed: string
  readonly mends: ReturnType<typeof mend>['mends']
  readonly #original: readonly string[]
  readonly #starts: readonly number[]
  readonly #shifts: ReadonlyMap<number, number>
  readonly #secrets: (readonly [number, number])[] = []

  constructor(file: string, written: string) {
    this.file = file
    const text = written.replace(/^\ufeff/, '')
    this.#original = text.split(/\r?\n/)
    const { mended, mends, shifts } = mend(text)
    this.parsed = mended
    this.mends = mends
    this.#shifts = shifts
    const starts = [0]
    for (let at = mended.indexOf('\n'); at !== -1; at = mended.indexOf('\n', at + 1)) starts.push(at + 1)
    this.#starts = starts
  }

  position(offset: number): Position {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const col = offset - (this.#starts[low] ?? 0) + 1
    return { line: low + 1, col: Math.max(1, col - (this.#shifts.get(low + 1) ?? 0)) }
  }

  /** The offset in the parsed text of a place in the written one. */
  offset(line: number, col: number): number {
    return (this.#starts[line - 1] ?? 0) + col - 1 + (this.#shifts.get(line) ?? 0)
  }

  /** Keeps the value between two offsets out of every line that is shown. */
  hide(start: number, end: number): void {
    this.#secrets.push([start, end])
  }

  /** A line as the user wrote it, secrets masked by as many columns, so that a caret below it still points right. */
  line(number: number): string {
    const text = this.#original[number - 1] ?? ''
    const start = this.#starts[number - 1] ?? 0
    const shift = this.#shifts.get(number) ?? 0
    const masked = this.#secrets.reduce((line, [from, to]) => {
      const [a, b] = [Math.max(0, from - start - shift), Math.min(line.length, to - start - shift)]
      return a < b ? line.slice(0, a) + mask(b - a) + line.slice(b) : line
    }, text)
    return masked.replace(secretInText, (_, key: string, value: string) => key + mask(value.length)).trimEnd()
  }
}

/** Where the YAML is broken there are no nodes to ask: then the key's name tells a secret. */
const secretInText =
  /(\b\w*(?:password|passphrase|secretKey|secretAccessKey|token|privateKey)["']?\s*[:：]\s*)("[^"]*"?|'[^']*'?|[^\s,{}&*][^,}]*)/gi

const mask = (width: number): string => '***'.padEnd(width).slice(0, width)
