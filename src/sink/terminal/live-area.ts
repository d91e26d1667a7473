import { width } from '../text.ts'

/** The part of a terminal stream that is needed to draw on it. */
export interface TerminalStream {
  write(text: string): unknown
  readonly columns?: number
  readonly rows?: number
}

const csi = '\u001b['
const hideCursor = `${csi}?25l`
const showCursor = `${csi}?25h`
// A terminal that knows this shows the frame only when it is whole; others ignore it.
const beginFrame = `${csi}?2026h`
const endFrame = `${csi}?2026l`
const eraseLine = `${csi}K`
const eraseBelow = `${csi}J`

/** Lines at the bottom of the terminal that are drawn again and again, below text that stays. Only lines that changed are written. */
export class LiveArea {
  readonly #stream: TerminalStream
  #lines: readonly string[] = []
  #columns: number | undefined
  #cursorHidden = false

  constructor(stream: TerminalStream) {
    this.#stream = stream
  }

  /** Prints lines that stay, and draws the live ones below them in place of the last ones; no live line may be wider than the terminal. */
  draw(lines: readonly string[], permanent: readonly string[] = []): void {
    const same = permanent.length === 0 && this.#columns === this.#stream.columns
    const patch = same ? this.#patch(lines) : this.#toTop() + eraseBelow + whole(permanent) + whole(lines)
    this.#lines = lines
    this.#columns = this.#stream.columns
    if (patch !== '') this.#write(patch)
  }

  /** Takes the live lines away and gives the cursor back. */
  close(): void {
    if (!this.#cursorHidden) return
    this.#stream.write(this.#toTop() + eraseBelow + showCursor)
    this.#cursorHidden = false
    this.#lines = []
  }

  #write(text: string): void {
    const hide = this.#cursorHidden ? '' : hideCursor
    this.#cursorHidden = true
    this.#stream.write(beginFrame + hide + text + endFrame)
  }

  #patch(lines: readonly string[]): string {
    if (lines.length !== this.#lines.length) return this.#patchGrown(lines)
    if (lines.every((line, i) => line === this.#lines[i])) return ''
    return this.#toTop() + lines.map((line, i) => (line === this.#lines[i] ? '\n' : `${line}${eraseLine}\n`)).join('')
  }

  #patchGrown(lines: readonly string[]): string {
    return this.#toTop() + lines.map((line) => `${line}${eraseLine}\n`).join('') + eraseBelow
  }

  /** After the terminal was made narrower, old lines take several rows each. */
  #toTop(): string {
    const columns = this.#stream.columns ?? Number.POSITIVE_INFINITY
    const taken = this.#lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(width(line) / columns)), 0)
    const rows = Math.min(taken, this.#stream.rows ?? taken)
    return rows === 0 ? '' : `\r${csi}${rows}A`
  }
}

const whole = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
