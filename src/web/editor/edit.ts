/** A text and what is selected in it. */
export interface Edited {
  readonly text: string
  readonly start: number
  readonly end: number
}

const indent = '  '

/** Indents the selected lines, or moves the caret to the next stop. */
export function indented({ text, start, end }: Edited): Edited {
  if (start === end) {
    const column = start - lineStart(text, start)
    const spaces = indent.slice(column % indent.length)
    return { text: text.slice(0, start) + spaces + text.slice(end), start: start + spaces.length, end: start + spaces.length }
  }
  const from = lineStart(text, start)
  const lines = text.slice(from, end).split('\n')
  const block = lines.map((line) => (line === '' ? line : indent + line)).join('\n')
  return {
    text: text.slice(0, from) + block + text.slice(end),
    start: start + (lines[0] === '' ? 0 : indent.length),
    end: from + block.length,
  }
}

/** Takes one step of indentation off the selected lines. */
export function outdented({ text, start, end }: Edited): Edited {
  const from = lineStart(text, start)
  const lines = text.slice(from, end).split('\n')
  const less = lines.map((line) => line.replace(/^ {1,2}/, ''))
  const block = less.join('\n')
  const first = (lines[0] ?? '').length - (less[0] ?? '').length
  return { text: text.slice(0, from) + block + text.slice(end), start: Math.max(from, start - first), end: from + block.length }
}

/** A new line that begins where the one before did; behind a colon one step deeper. */
export function newLine({ text, start, end }: Edited): Edited {
  const before = text.slice(lineStart(text, start), start)
  const spaces = /^ */.exec(before)?.[0] ?? ''
  const deeper = /:\s*$/.test(before) ? indent : ''
  const at = start + 1 + spaces.length + deeper.length
  return { text: `${text.slice(0, start)}\n${spaces}${deeper}${text.slice(end)}`, start: at, end: at }
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** The offset of a line and column, both counted from 1. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0
  for (let passed = 1; passed < line; passed++) {
    const next = text.indexOf('\n', at)
    if (next < 0) return text.length
    at = next + 1
  }
  const end = text.indexOf('\n', at)
  return Math.min(at + Math.max(0, column - 1), end < 0 ? text.length : end)
}
