import {
  Composer,
  type Document,
  isAlias,
  isPair,
  isScalar,
  isSeq,
  isMap as isYamlMap,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { joinPath, type Place, Places, type RawMap } from './places.ts'
import type { Problems } from './problem.ts'
import { isSecretKey } from './secret.ts'
import type { Source } from './source.ts'
import { deepest, reportSyntax } from './syntax.ts'

/** The file as plain values, and where each of them stands. */
export interface Tree {
  readonly root: unknown
  readonly places: Places
}

/** In characters. A config of 5 000 hosts with a dozen fields each has 0.6 million. */
export const largestFile = 2 * 1024 * 1024
const mostAliased = 20_000

/** Reads the text of a file into plain values. Null when it cannot be read at all; `problems` says why. */
export function readTree(source: Source, problems: Problems): Tree | null {
  const documents = [
    ...new Composer({ uniqueKeys: false, schema: 'failsafe' }).compose(new Parser().parse(source.parsed), true, source.parsed.length),
  ]
  const [first, second] = documents.filter((document) => document.contents !== null)
  const readable = reportSyntax(documents, source, problems)
  if (second !== undefined) {
    const start = source.parsed.lastIndexOf('---', second.contents?.range?.[0] ?? 0)
    problems.add('error', 'KX_CONFIG_DOCUMENTS', {}, { start: Math.max(0, start), end: Math.max(0, start) + 3, path: '' })
  }
  if (!readable) return null
  if (first === undefined) {
    problems.add('error', 'KX_CONFIG_NOT_A_MAP', { seen: 'nothing' }, { start: 0, end: 0, path: '' })
    return null
  }
  return new Conversion(source, problems).tree(first)
}

/** Thrown to leave the conversion at once when going on would cost too much. */
class TooMuch extends Error {}

/** One walk over the nodes of a document: it lives as long as the walk. */
class Conversion {
  readonly #source: Source
  readonly #problems: Problems
  readonly #places: Places
  /** Null while the anchored node is still being read: an alias inside it would never end. */
  readonly #anchors = new Map<string, Node | null>()
  #aliased = 0
  #insideAlias = 0

  constructor(source: Source, problems: Problems) {
    this.#source = source
    this.#problems = problems
    this.#places = new Places({ key: null, value: [0, 0], path: '', text: null })
  }

  tree(document: Document.Parsed): Tree | null {
    try {
      return { root: this.#value(document.contents, '', 0), places: this.#places }
    } catch (error) {
      if (error instanceof TooMuch) return null
      throw error
    }
  }

  #value(node: unknown, path: string, depth: number): unknown {
    if (this.#insideAlias > 0 && ++this.#aliased > mostAliased) this.#refuse('KX_CONFIG_ALIAS_BOMB', { limit: mostAliased }, node, path)
    if (depth > deepest) this.#refuse('KX_CONFIG_TOO_DEEP', { limit: deepest }, node, path)
    if (isAlias(node)) return this.#alias(node.source, node, path, depth)
    const anchor = isScalar(node) || isYamlMap(node) || isSeq(node) ? node.anchor : undefined
    if (anchor !== undefined) this.#anchors.set(anchor, null)
    const value = this.#plain(node, path, depth)
    if (anchor !== undefined) this.#anchors.set(anchor, node as Node)
    return value
  }

  #plain(node: unknown, path: string, depth: number): unknown {
    if (isYamlMap(node)) return this.#map(node, path, depth)
    if (isSeq(node)) return this.#list(node, path, depth)
    return isScalar(node) ? scalarValue(node) : null
  }

  #alias(name: string, node: Node, path: string, depth: number): unknown {
    const target = this.#anchors.get(name)
    if (target === undefined || target === null) {
      this.#problems.add('error', 'KX_CONFIG_ALIAS_UNKNOWN', { name }, stretchOf(node, path))
      return null
    }
    this.#insideAlias++
    const value = this.#value(target, path, depth + 1)
    this.#insideAlias--
    return value
  }

  #list(node: YAMLSeq, path: string, depth: number): unknown[] {
    const list: unknown[] = []
    for (const [index, item] of node.items.entries()) {
      const at = joinPath(path, index)
      // `[a: b]` holds a pair where an element is expected: YAML means a map of one key.
      list.push(isPair(item) ? this.#pairs([item], at, depth + 1) : this.#value(item, at, depth + 1))
      this.#places.set(list, index, placeOf(null, isPair(item) ? item.key : item, at))
    }
    return list
  }

  #map(node: YAMLMap, path: string, depth: number): RawMap {
    return this.#pairs(node.items, path, depth)
  }

  #pairs(pairs: readonly Pair[], path: string, depth: number): RawMap {
    const map: RawMap = {}
    const merged: RawMap[] = []
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? keyText(key) : ''
      const at = joinPath(path, name)
      if (name === '' || name === '__proto__') {
        if (name !== '' || isScalar(key) || isYamlMap(key) || isSeq(key)) this.#badKey(key, value, path)
        continue
      }
      if (name === '<<') {
        const below = this.#value(value, path, depth + 1)
        merged.push(...([below].flat() as RawMap[]).filter((one) => typeof one === 'object' && one !== null))
        continue
      }
      if (Object.hasOwn(map, name)) {
        const first = this.#problems.lineOf(this.#places.get(map, name)?.key?.[0] ?? 0)
        this.#problems.add('error', 'KX_CONFIG_DUPLICATE_KEY', { key: at, first }, stretchOf(key, at))
        continue
      }
      map[name] = this.#value(value, at, depth + 1)
      const place = placeOf(key, value, at)
      if (isSecretKey(name) && typeof map[name] !== 'object') this.#source.hide(...place.value)
      this.#places.set(map, name, place)
    }
    // What a map says itself wins over what it merges in.
    for (const below of merged)
      for (const [name, value] of Object.entries(below)) if (!Object.hasOwn(map, name)) this.#adopt(map, below, name, value)
    return map
  }

  #adopt(map: RawMap, from: RawMap, name: string, value: unknown): void {
    map[name] = value
    const place = this.#places.get(from, name)
    if (place !== undefined) this.#places.set(map, name, place)
  }

  #badKey(key: unknown, value: unknown, path: string): void {
    const at = stretchOf(isScalar(key) || isYamlMap(key) || isSeq(key) ? key : value, path)
    this.#problems.add(
      'error',
      'KX_CONFIG_SYNTAX',
      { what: 'a key must be a word', how: 'write the name of a field before the colon; quote a text that holds { or [' },
      at,
    )
  }

  #refuse(code: 'KX_CONFIG_ALIAS_BOMB' | 'KX_CONFIG_TOO_DEEP', params: { readonly limit: number }, node: unknown, path: string): never {
    this.#problems.add('error', code, params, { ...stretchOf(node, ''), path: path.length > 100 ? `${path.slice(0, 100)}…` : path })
    throw new TooMuch()
  }
}

/** The text of a key; `8080:` and `true:` are words too. */
const keyText = (key: Scalar): string => (typeof key.value === 'string' ? key.value : (key.source ?? String(key.value ?? '')))

/**
 * The value of a scalar: only what is not quoted can be something else than a text. A number keeps its text unless it is written as a
 * program would write it: `1.30` is a version, `010` is not eight. Done here and not by the parser's tags, which test every scalar
 * against every type: that took a third of the time of a large file.
 */
function scalarValue({ value, type }: Scalar): unknown {
  if (type !== 'PLAIN' || typeof value !== 'string') return value ?? null
  if (value === '' || value === '~' || value === 'null' || value === 'Null' || value === 'NULL') return null
  if (value === 'true' || value === 'True' || value === 'TRUE') return true
  if (value === 'false' || value === 'False' || value === 'FALSE') return false
  return /^-?[\d.]/.test(value) && String(Number(value)) === value ? Number(value) : value
}

const rangeOf = (node: unknown): readonly [number, number] | null =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? [node.range[0] as number, node.range[1] as number]
    : null

const stretchOf = (node: unknown, path: string) => {
  const [start, end] = rangeOf(node) ?? [0, 0]
  return { start, end, path }
}

function placeOf(key: unknown, value: unknown, path: string): Place {
  const keyRange = rangeOf(key)
  const text = isScalar(value) ? (value.source ?? '') : null
  return { key: keyRange, value: rangeOf(value) ?? keyRange ?? [0, 0], path, text }
}
