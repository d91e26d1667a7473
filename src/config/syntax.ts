import { type Document, isMap, isPair, isScalar, isSeq, type YAMLParseError } from 'yaml'
import type { Problems } from './problem.ts'
import type { Source } from './source.ts'

/** No field of the schema lies half as deep. */
export const deepest = 48

/** After one of these the parser has lost its way, and what it makes of the rest is no evidence. */
const derailing: ReadonlySet<string> = new Set([
  'MISSING_CHAR',
  'BAD_INDENT',
  'UNEXPECTED_TOKEN',
  'BLOCK_IN_FLOW',
  'BLOCK_AS_IMPLICIT_KEY',
  'IMPOSSIBLE',
  'RESOURCE_EXHAUSTION',
])

const advice: Readonly<Record<string, string>> = {
  BAD_INDENT: 'indent the line like its neighbours',
  TAB_AS_INDENT: 'indent with spaces',
  MISSING_CHAR: 'close the quotation mark, bracket or brace, or write the missing colon',
  BLOCK_AS_IMPLICIT_KEY: 'put the value on one line, or indent it below its key',
  MULTILINE_IMPLICIT_KEY: 'write a colon and a space after the key, and keep it on one line',
  BAD_SCALAR_START: 'put the value into quotation marks',
  BAD_ALIAS: 'a value that starts with * or & needs quotation marks',
  BLOCK_IN_FLOW: 'inside { } and [ ] separate entries by commas',
  BAD_DQ_ESCAPE: 'use \'…\' instead of "…", or double the backslash',
  UNEXPECTED_TOKEN: 'put the value into quotation marks if it is text',
}

/** Reports mended characters and what the YAML parser did not understand. False when the values cannot be trusted. */
export function reportSyntax(documents: readonly Document.Parsed[], source: Source, problems: Problems): boolean {
  const mended = new Set<number>()
  for (const mend of source.mends) {
    const start = source.offset(mend.line, mend.col)
    const at = { start, end: start + 1, path: '' }
    mended.add(mend.line)
    if (mend.kind === 'tab') {
      problems.add('error', 'KX_CONFIG_TAB', {}, at)
      continue
    }
    const point = `U+${(mend.char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    const rest = mend.ascii === ':' ? ' and a space' : ''
    problems.add('error', 'KX_CONFIG_LOOKALIKE', { name: mend.name, char: mend.char, point, ascii: mend.ascii, rest }, at, mend.char)
  }
  let readable = true
  const seen = new Set<number>()
  for (const { error, document } of documents.flatMap((document) => document.errors.map((error) => ({ error, document })))) {
    const [start, end] = openQuote(error, document) ?? error.pos
    const { line } = source.position(start)
    // One slip makes the parser stumble several times on the same line.
    if (seen.has(line) || mended.has(line)) continue
    seen.add(line)
    if (!reportError(error, source, problems, { start, end, path: '' }) && derailing.has(error.code)) readable = false
  }
  return readable
}

/** A quotation mark that is not closed is noticed at the end of the file; the place to look at is where it was opened. */
function openQuote(error: YAMLParseError, document: Document.Parsed): readonly [number, number] | null {
  if (error.code !== 'MISSING_CHAR' || !/quote/.test(error.message)) return null
  let node: unknown = document.contents
  while (isMap(node) || isSeq(node)) {
    const last: unknown = node.items.at(-1)
    node = isPair(last) ? (last.value ?? last.key) : last
  }
  return isScalar(node) && node.range ? [node.range[0], node.range[0] + 1] : null
}

/** True when the error is one whose line can be left out of account. */
function reportError(error: YAMLParseError, source: Source, problems: Problems, at: { start: number; end: number; path: string }): boolean {
  const { line } = source.position(at.start)
  const text = source.line(line).trim()
  const glued = /^(?:- +)?([\w-]+):([^\s:/].*)$/.exec(text)
  if (
    glued !== null &&
    (error.code === 'MISSING_CHAR' || error.code === 'MULTILINE_IMPLICIT_KEY' || error.code === 'BLOCK_AS_IMPLICIT_KEY')
  ) {
    problems.add('error', 'KX_CONFIG_NO_SPACE', { text, better: `${glued[1]}: ${glued[2]}` }, at, text)
    return true
  }
  if (error.code === 'RESOURCE_EXHAUSTION') {
    problems.add('error', 'KX_CONFIG_TOO_DEEP', { limit: deepest }, at)
    return false
  }
  if (error.code === 'TAB_AS_INDENT') {
    problems.add('error', 'KX_CONFIG_TAB', {}, at)
    return true
  }
  const what = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')
  problems.add('error', 'KX_CONFIG_SYNTAX', { what: lowerFirst(what), how: advice[error.code] ?? 'compare the line with the examples' }, at)
  return false
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
