import { Document } from 'yaml'
import { fail } from '../error/index.ts'
import { canonicalJson, type Json } from '../util/json.ts'
import type { RawMap } from './places.ts'
import { Problems } from './problem.ts'
import { respell } from './respell.ts'
import { type Found, isLiteral, valuesOf } from './secret-places.ts'
import { quoted } from './serialize.ts'
import { Source } from './source.ts'
import { readTree, type Tree } from './tree.ts'

/** What a field becomes: another value, and perhaps another name. */
interface Replacement {
  readonly value: Json
  readonly key?: string
}

interface Edit {
  readonly end: number
  readonly text: string
}

/**
 * A config with some of its fields replaced. The rest of the text is not touched, comments and all, unless a value that was to go still
 * stands elsewhere in it (a comment repeats it, an anchor is used twice): then it is written anew from its values.
 */
export function rewrite(text: string, change: (found: Found) => Replacement | null): string {
  const source = new Source('', text)
  const tree = readCanonical(source)
  const edits = new Map<number, Edit>()
  const gone = new Set<string>()
  for (const found of [...valuesOf(tree)]) {
    const { holder, key, value, place } = found
    const replacement = change(found)
    if (replacement === null) continue
    const [start, end] = place.value
    // What an anchor stands for is one stretch of text, however often it is used.
    const written = edits.get(start)?.text ?? JSON.stringify(replacement.value)
    edits.set(start, { end, text: written })
    if (replacement.key !== undefined && place.key !== null) edits.set(place.key[0], { end: place.key[1], text: replacement.key })
    if (isLiteral(value)) gone.add(String(value).trim())
    if (replacement.key !== undefined) delete (holder as RawMap)[key]
    ;(holder as RawMap)[replacement.key ?? key] = JSON.parse(written)
  }
  const edited = applied(source.parsed, edits)
  const again = readCanonical(new Source('', edited))
  const same = canonicalJson(again.root as Json) === canonicalJson(tree.root as Json)
  return same && ![...gone].some((value) => edited.includes(value)) ? edited : anew(tree)
}

const anew = ({ root }: Tree): string => quoted(new Document(root, { aliasDuplicateObjects: false })).toString({ lineWidth: 0 })

/** The values of a text in canonical spelling; what is wrong with it was said before. */
export function readCanonical(source: Source): Tree {
  const problems = new Problems(source)
  const tree = readTree(source, problems)
  if (tree === null) throw fail('KX_BUG', { what: 'a config that cannot be read was to be rewritten' })
  respell(tree, problems)
  return tree
}

function applied(text: string, edits: ReadonlyMap<number, Edit>): string {
  let result = ''
  let at = 0
  for (const [start, { end, text: replacement }] of [...edits].toSorted(([a], [b]) => a - b)) {
    // A block of text ends with the line break before the next key.
    const lineBreak = text.slice(start, end).endsWith('\n') ? '\n' : ''
    result += text.slice(at, start) + replacement + lineBreak
    at = end
  }
  return result + text.slice(at)
}
