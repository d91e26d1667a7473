/** A character that stands where another one belongs; the parser is given the right one, so that it can go on. */
export interface Mend {
  readonly kind: 'lookalike' | 'tab'
  readonly line: number
  readonly col: number
  /** For a look-alike: the character, its name, and what belongs there. */
  readonly char: string
  readonly name: string
  readonly ascii: string
}

interface Mended {
  readonly mended: string
  readonly mends: readonly Mend[]
  /** By line: how many columns the parsed text has more than the written one. */
  readonly shifts: ReadonlyMap<number, number>
}

const lookalikes: Readonly<Record<string, readonly [name: string, ascii: string]>> = {
  '：': ['a full-width colon', ':'],
  '︰': ['a two-dot leader', ':'],
  '，': ['a full-width comma', ','],
  '、': ['an ideographic comma', ','],
  '［': ['a full-width bracket', '['],
  '］': ['a full-width bracket', ']'],
  '【': ['a lenticular bracket', '['],
  '】': ['a lenticular bracket', ']'],
  '｛': ['a full-width brace', '{'],
  '｝': ['a full-width brace', '}'],
  '“': ['a curly quotation mark', '"'],
  '”': ['a curly quotation mark', '"'],
  '‘': ['a curly quotation mark', "'"],
  '’': ['a curly quotation mark', "'"],
  '＂': ['a full-width quotation mark', '"'],
  '＃': ['a full-width number sign', '#'],
  '－': ['a full-width hyphen', '-'],
  '–': ['an en dash', '-'],
  '—': ['an em dash', '-'],
  '−': ['a minus sign', '-'],
  '．': ['a full-width full stop', '.'],
  '／': ['a full-width slash', '/'],
  '\u00a0': ['a no-break space', ' '],
  '\u3000': ['an ideographic space', ' '],
  '\u2003': ['an em space', ' '],
  '\u2002': ['an en space', ' '],
  '\u200b': ['a zero-width space', ' '],
  '\ufeff': ['a byte order mark', ' '],
}
/** Characters that are taken for mistakes unless they stand in quotes. */
export const suspicious = new RegExp(`[${Object.keys(lookalikes).join('')}０-９]`)

/** Beyond these a file was not written by a person, and looking at what surrounds each character would take too long. */
const longestLine = 2000
const mostMends = 1000

/**
 * Puts ASCII in place of characters that only look like it, outside of quotes, comments and block texts, and spaces in place of
 * tabs that indent. Nothing is corrected silently: every mend is reported as an error, but the rest of the file can be checked too.
 */
export function mend(text: string): Mended {
  if (!suspicious.test(text) && !text.includes('\t')) return { mended: text, mends: [], shifts: new Map() }
  const mends: Mend[] = []
  const shifts = new Map<number, number>()
  let block: number | null = null // indentation of the key that opened a block text
  const indentation = new Indentation()
  const lines = text.split('\n').map((written, index) => {
    if (written.length > longestLine || mends.length >= mostMends) return written
    const indent = written.length - written.trimStart().length
    if (block !== null && (written.trim() === '' || indent > block)) return written
    block = null
    const line = indentation.withoutTabs(written)
    if (line !== written) {
      mends.push({ kind: 'tab', line: index + 1, col: written.indexOf('\t') + 1, char: '\t', name: 'a tab', ascii: ' ' })
      shifts.set(index + 1, line.length - written.length)
    }
    const { mended, found } = mendLine(line)
    for (const mend of found) mends.push({ ...mend, col: mend.col - (line.length - written.length), line: index + 1 })
    if (/(^|[\s:])[|>][+-]?\d?\s*(#.*)?$/.test(mended)) block = indent
    return mended
  })
  return { mended: lines.join('\n'), mends, shifts }
}

/** Guesses what tabs that indent were meant to be, from the lines above. Wrong guesses cost further errors, never a wrong cluster. */
class Indentation {
  readonly #known = new Map<string, number>()
  #previous = 0

  withoutTabs(line: string): string {
    const prefix = /^[ \t]*/.exec(line)?.[0] ?? ''
    const content = line.slice(prefix.length)
    const isBlank = content.trim() === '' || content.startsWith('#')
    const width = prefix.includes('\t') ? (this.#known.get(prefix) ?? this.#previous) : prefix.length
    if (prefix.includes('\t') && !isBlank) this.#known.set(prefix, width)
    // The next line belongs beside this one's content, or one level below it when this one opens a group.
    if (!isBlank) this.#previous = width + (/^(- +)*/.exec(content)?.[0].length ?? 0) + (/:\s*(#.*)?$/.test(content) ? 2 : 0)
    return prefix.includes('\t') && !isBlank ? ' '.repeat(width) + content : line
  }
}

function mendLine(line: string): { readonly mended: string; readonly found: readonly Omit<Mend, 'line'>[] } {
  const found: Omit<Mend, 'line'>[] = []
  let mended = ''
  let quote = ''
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i)
    const ascii = lookalike(char)
    if (quote !== '') {
      if (char === '\\' && quote === '"') mended += char + line.charAt(++i)
      else mended += ascii?.[1] === quote && !line.includes(quote, i) ? note(i, char, ascii) : char
      if (mended.endsWith(quote)) quote = ''
      continue
    }
    if (char === '#' && (i === 0 || /\s/.test(line.charAt(i - 1)))) return { mended: mended + line.slice(i), found }
    if (ascii !== null && structural(line, i, ascii[1])) {
      const put = note(i, char, ascii)
      if (put === '"' || put === "'") quote = put
      mended += put
      if (put === '#') return { mended: mended + line.slice(i + 1), found }
      continue
    }
    if ((char === '"' || char === "'") && (i === 0 || /[\s:[{,：，-]/.test(line.charAt(i - 1)))) quote = char
    mended += char
  }
  return { mended, found }

  function note(at: number, char: string, [name, ascii]: readonly [string, string]): string {
    found.push({ kind: 'lookalike', col: at + 1, char, name, ascii })
    return ascii
  }
}

function lookalike(char: string): readonly [name: string, ascii: string] | null {
  if (char >= '０' && char <= '９') return ['a full-width digit', String(char.charCodeAt(0) - 0xff10)]
  return lookalikes[char] ?? null
}

/** Whether the character stands where YAML, a number or an address would need the ASCII one; in prose it is left alone. */
function structural(line: string, at: number, ascii: string): boolean {
  const [before, after] = [line.slice(0, at), line.slice(at + 1)]
  if (ascii === ':')
    return /^\s*(- +)*["']?[\w./-]+["']?\s*$/.test(before) || (/[{,]\s*["']?[\w./-]+["']?\s*$/.test(before) && /[{[]/.test(before))
  if (ascii === '-') return /^\s*$/.test(before) && /^\s/.test(after)
  if (ascii === '#') return /(^|\s)$/.test(before)
  if (ascii === ' ') return true
  if (ascii === '"' || ascii === "'") return /(^|[\s:：[{,，-])$/.test(before)
  if (ascii === ',') return /[[{【［｛]/.test(before)
  if (/[[\]{}]/.test(ascii)) return /[:：[\]{},]\s*$/.test(before) || /^\s*([,\]}]|$)/.test(after)
  return /[\w.:：]$/.test(before.trimEnd()) || /^[\w.]/.test(after)
}
