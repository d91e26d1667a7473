import type { Stretch } from './problem.ts'

/** Where a key and its value stand in the file. */
export interface Place {
  readonly key: readonly [number, number] | null
  readonly value: readonly [number, number]
  /** The path as the user wrote it: it stays when the value is moved to its canonical place. */
  readonly path: string
  /** The text of a scalar: `1.30` is not `1.3`. */
  readonly text: string | null
}

export type Path = readonly (string | number)[]
export type RawMap = Record<string, unknown>

/** Whether a value is a map of the file. */
export const isMap = (value: unknown): value is RawMap => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a path; undefined where the path leads nowhere. */
export const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as RawMap)[key] : undefined),
    root,
  )

/** Remembers for every value of the raw tree where it came from, by its parent and key. */
export class Places {
  readonly root: Place
  readonly #children = new WeakMap<object, Map<string | number, Place>>()

  constructor(root: Place) {
    this.root = root
  }

  set(parent: object, key: string | number, place: Place): void {
    const known = this.#children.get(parent)
    if (known === undefined) this.#children.set(parent, new Map([[key, place]]))
    else known.set(key, place)
  }

  get(parent: object, key: string | number): Place | undefined {
    return this.#children.get(parent)?.get(key)
  }

  /** Takes an element out of a list, so that the places of those behind it move up with them. */
  splice(list: unknown[], index: number): void {
    const known = this.#children.get(list)
    list.splice(index, 1)
    if (known === undefined) return
    for (let i = index; i < list.length; i++) known.set(i, known.get(i + 1) ?? this.root)
    known.delete(list.length)
  }

  /** The place of the value at a path, or of the nearest value around it that stands in the file. */
  find(root: unknown, path: Path): { readonly place: Place; readonly found: Path } {
    let [place, value] = [this.root, root]
    for (const [depth, key] of path.entries()) {
      const child = typeof value === 'object' && value !== null ? this.get(value, key) : undefined
      if (child === undefined) return { place, found: path.slice(0, depth) }
      place = child
      value = (value as RawMap)[key]
    }
    return { place, found: path }
  }

  /** The stretch to underline for a problem with the value at a path; a missing value is shown at the key it should be under. */
  stretch(root: unknown, path: Path, what: 'value' | 'key' = 'value'): Stretch {
    const { place, found } = this.find(root, path)
    const missing = path.slice(found.length)
    const written = missing.reduce<string>((text, key) => joinPath(text, key), place.path)
    const range =
      missing.length === 0 && what === 'value' ? (place.text === '' ? (place.key ?? place.value) : place.value) : (place.key ?? place.value)
    return { start: range[0], end: range[1], path: written }
  }
}

/** `spec.hosts` and 3 give `spec.hosts[3]`; a key that is no word is quoted. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  const name = /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
  return path === '' ? name : `${path}.${name}`
}
