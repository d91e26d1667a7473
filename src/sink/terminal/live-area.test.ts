import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LiveArea } from './live-area.ts'

/** Just enough of a terminal to see what a person would see. */
class Screen {
  readonly columns = 40
  readonly rows = 1000
  readonly lines: string[] = ['']
  cursorShown = true
  written = 0
  #row = 0
  #column = 0

  write(text: string): void {
    this.written += text.length
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
    for (const [token] of text.matchAll(/\u001b\[[?0-9]*[A-Za-z]|[\s\S]/gu)) this.#take(token)
  }

  #take(token: string): void {
    if (token === '\n') this.#down()
    else if (token === '\r') this.#column = 0
    else if (token.endsWith('A') && token.length > 1) this.#row -= Number.parseInt(token.slice(2), 10)
    else if (token === '\u001b[K') this.#replace(this.#line.slice(0, this.#column))
    else if (token === '\u001b[J') {
      this.#replace(this.#line.slice(0, this.#column))
      this.lines.length = this.#row + 1
    } else if (token.startsWith('\u001b[?25')) this.cursorShown = token.endsWith('h')
    else if (!token.startsWith('\u001b')) {
      this.#replace(this.#line.slice(0, this.#column).padEnd(this.#column) + token + this.#line.slice(this.#column + 1))
      this.#column++
    }
  }

  get #line(): string {
    return this.lines[this.#row] ?? ''
  }

  #replace(line: string): void {
    this.lines[this.#row] = line
  }

  #down(): void {
    this.#row++
    this.#column = 0
    this.lines[this.#row] ??= ''
  }

  /** What is seen, without the empty line the cursor waits on. */
  shown(): readonly string[] {
    return this.lines.slice(0, this.lines.at(-1) === '' ? -1 : undefined)
  }
}

const line = fc.stringMatching(/^[a-z0-9 ]{0,12}[a-z]$/)
const action = fc.record({ draw: fc.array(line, { maxLength: 6 }), print: fc.array(line, { maxLength: 3 }) })

describe('LiveArea', () => {
  it('shows what was printed, in order, and below it the last frame, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(action), (actions) => {
        const screen = new Screen()
        const area = new LiveArea(screen)
        let permanent: string[] = []
        for (const step of actions) {
          permanent = [...permanent, ...step.print]
          area.draw(step.draw, step.print)
          expect(screen.shown()).toEqual([...permanent, ...step.draw])
        }
        area.close()
        expect(screen.shown()).toEqual(permanent)
        expect(screen.cursorShown).toBe(true)
      }),
    )
  })

  it('writes nothing when nothing has changed, and little when one line has', () => {
    const screen = new Screen()
    const area = new LiveArea(screen)
    const frame = ['one line that is long', 'another line', 'and a third one']
    area.draw(frame)
    const [first, written] = [screen.written, () => screen.written]
    area.draw([...frame])
    expect(written()).toBe(first)
    area.draw([...frame.slice(0, 2), 'X'])
    expect(written() - first).toBeLessThan(frame.join('').length)
    expect(screen.cursorShown).toBe(false)
  })

  it('clears all rows of its old lines after the terminal became narrower', () => {
    const written: string[] = []
    const stream = { columns: 40, rows: 24, write: (text: string) => written.push(text) }
    const area = new LiveArea(stream)
    area.draw(['a'.repeat(30), 'b'])
    stream.columns = 20
    area.draw(['c', 'd'])
    // Thirty columns now take two rows, the short line one.
    expect(written.at(-1)).toContain('\r\u001b[3A\u001b[J')
  })
})
