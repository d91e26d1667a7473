import type { ConfigProblem } from '../api/types.ts'

export type Kind = 'key' | 'comment' | 'string' | 'plain'

/** A piece of a line that looks alike. */
export interface Piece {
  readonly text: string
  readonly kind: Kind
  /** The worst problem that is marked there. */
  readonly mark: ConfigProblem['severity'] | null
}

/** A line in pieces: its syntax, and under it the places that are wrong. */
export function piecesOf(line: string, problems: readonly Pick<ConfigProblem, 'col' | 'width' | 'severity'>[]): readonly Piece[] {
  const kinds: Kind[] = []
  for (const { text, kind } of syntaxOf(line)) for (let at = 0; at < text.length; at++) kinds.push(kind)
  const marks: (ConfigProblem['severity'] | null)[] = kinds.map(() => null)
  for (const { col, width, severity } of problems) {
    const from = Math.min(col - 1, Math.max(0, line.length - 1))
    for (let at = from; at < Math.min(line.length, from + Math.max(1, width)); at++) if (marks[at] !== 'error') marks[at] = severity
  }
  const pieces: Piece[] = []
  for (let at = 0; at < line.length; ) {
    let end = at + 1
    while (end < line.length && kinds[end] === kinds[at] && marks[end] === marks[at]) end++
    pieces.push({ text: line.slice(at, end), kind: kinds[at] ?? 'plain', mark: marks[at] ?? null })
    at = end
  }
  return pieces
}

/** Enough of YAML for the eye; the server reads it for real. */
function syntaxOf(line: string): readonly { readonly text: string; readonly kind: Kind }[] {
  const parts: { text: string; kind: Kind }[] = []
  const pattern = /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([A-Za-z_][\w./-]*)(?=:(?:\s|$))/g
  let at = 0
  for (const match of line.matchAll(pattern)) {
    const [whole, comment, quoted] = match
    // A # is a comment only at the start or behind a blank.
    if (comment !== undefined && match.index > 0 && !/\s/.test(line[match.index - 1] ?? '')) continue
    if (match.index > at) parts.push({ text: line.slice(at, match.index), kind: 'plain' })
    parts.push({ text: whole, kind: comment !== undefined ? 'comment' : quoted !== undefined ? 'string' : 'key' })
    at = match.index + whole.length
  }
  if (at < line.length) parts.push({ text: line.slice(at), kind: 'plain' })
  return parts
}
