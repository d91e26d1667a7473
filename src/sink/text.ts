import { stripVTControlCharacters } from 'node:util'

// Characters that take two columns: CJK, full-width forms, emoji. Close enough for names, titles and messages.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const zeroWidth = /[\p{Mn}\p{Me}\u200b-\u200f]/u
const asciiOnly = /^[ -~]*$/

/** The columns a text takes on a terminal; colours take none. */
export function width(text: string): number {
  if (asciiOnly.test(text)) return text.length
  let columns = 0
  for (const char of stripVTControlCharacters(text)) columns += charWidth(char)
  return columns
}

const charWidth = (char: string): number => (wide.test(char) ? 2 : zeroWidth.test(char) ? 0 : 1)

/** A text without colours cut to so many columns, with `…` at its end when something is missing. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text
  if (columns <= 1) return columns === 1 ? '…' : ''
  let result = ''
  let used = 0
  for (const char of text) {
    used += charWidth(char)
    if (used > columns - 1) break
    result += char
  }
  return `${result}…`
}

/** A text without colours made exactly so many columns wide. */
export function padded(text: string, columns: number): string {
  const short = cut(text, columns)
  return short + ' '.repeat(Math.max(0, columns - width(short)))
}

/** Left and right at the two edges of a line; the left gives way when both do not fit. */
export function edges(left: string, right: string, columns: number): string {
  const gap = columns - width(left) - width(right)
  return right === '' ? left : left + ' '.repeat(Math.max(1, gap)) + right
}

/** Lines of at most so many columns, broken at blanks; a single word that is longer stays whole, so that it can be copied. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && width(line) + 1 + width(word) > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** What a host printed, made harmless for a terminal: no escape sequences, no control characters, of a progress line the last state. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''))
    .map((line) =>
      line
        .slice(line.lastIndexOf('\r') + 1)
        .replaceAll('\t', '  ')
        .replace(controls, ''),
    )
    .join('\n')
}

/** `a, b and 3 more`: as many names as there is room for, never fewer than one. */
export function names(all: readonly string[], columns: number): string {
  for (let shown = all.length; shown > 1; shown--) {
    const text = all.slice(0, shown).join(', ') + (shown < all.length ? ` and ${all.length - shown} more` : '')
    if (width(text) <= columns) return text
    // Nobody reads hundreds of names; and trying each length would take long.
    if (shown > 40) shown = 41
  }
  return all.length > 1 ? `${all[0]} and ${all.length - 1} more` : (all[0] ?? '')
}
