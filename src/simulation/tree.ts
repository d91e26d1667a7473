import { fail } from '../error/index.ts'
import { remembering } from '../util/remember.ts'
import type { DirectoryEntry, Entry } from './entry.ts'
import { refuse } from './refusal.ts'

/** Where a path leads to: the names from the root with links followed, and what is there. */
export interface Located {
  readonly names: readonly string[]
  readonly entry: Entry | null
}

const maxLinks = 40

/** An empty directory. */
export const emptyDirectory = (mode = '0755', owner = 'root:root', modified = 0): DirectoryEntry => ({
  type: 'directory',
  mode,
  owner,
  modified,
  children: new Map(),
  bytes: 0,
})

/** Four octal digits of any spelling of a mode: `644` and `0644` are one. */
export const normalMode = (mode: string): string => {
  if (!/^[0-7]{1,5}$/.test(mode)) throw refuse(`chmod: invalid mode: '${mode}'`)
  return mode.replace(/^0+/, '').padStart(4, '0')
}

/** The text of a path made of names. */
export const joinNames = (names: readonly string[]): string => `/${names.join('/')}`

/**
 * Finds a path. Links on the way are always followed, one at its end only with `follow`.
 * Where something is missing `entry` is null and `names` says where it would be.
 */
export function locate(root: DirectoryEntry, path: string, follow = true): Located {
  // It would mean whatever directory the login starts in: that is a mistake of ours, not something a host says.
  if (!path.startsWith('/') || path.includes('\0')) throw fail('KX_BUG', { what: `"${path}" is not an absolute path` })
  const names = namesIn(path)
  let here: Entry = root
  let depth = 0
  for (const name of names) {
    depth += 1
    if (name === '..') return locateSlowly(root, path, names, follow)
    if (here.type !== 'directory') throw refuse(`${path}: Not a directory`)
    const child: Entry | undefined = here.children.get(name)
    if (child === undefined) return names.includes('..') ? locateSlowly(root, path, names, follow) : { names, entry: null }
    if (child.type === 'link' && (follow || depth < names.length)) return locateSlowly(root, path, names, follow)
    here = child
  }
  return { names, entry: here }
}

const isName = (name: string): boolean => name !== '' && name !== '.'

/** Hosts are asked for the same few thousand paths again and again: splitting them was most of what finding them took. */
const namesIn = remembering((path): readonly string[] => path.split('/').filter(isName), 20_000)

/** The same where there are links or `..` on the way: what is still to go is a stack that links add to. */
function locateSlowly(root: DirectoryEntry, path: string, wanted: readonly string[], follow: boolean): Located {
  const pending = [...wanted].reverse()
  const names: string[] = []
  const entries: Entry[] = []
  let links = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const missing = names.length > entries.length
    if (name === '..') {
      names.pop()
      if (!missing) entries.pop()
      continue
    }
    const here = entries.at(-1) ?? root
    names.push(name)
    if (missing) continue
    if (here.type !== 'directory') throw refuse(`${path}: Not a directory`)
    const child = here.children.get(name)
    if (child === undefined) continue
    if (child.type !== 'link' || (!follow && pending.length === 0)) {
      entries.push(child)
      continue
    }
    links += 1
    if (links > maxLinks) throw refuse(`${path}: Too many levels of symbolic links`)
    names.pop()
    if (child.target.startsWith('/')) {
      names.length = 0
      entries.length = 0
    }
    pending.push(...child.target.split('/').filter(isName).reverse())
  }
  return { names, entry: names.length === 0 ? root : names.length === entries.length ? (entries.at(-1) ?? null) : null }
}

/** What stands at a path, or null. A link at its end is followed unless told otherwise. */
export function entryAt(root: DirectoryEntry, path: string, follow = true): Entry | null {
  return locate(root, path, follow).entry
}

const sizeOf = (entry: Entry | undefined): number =>
  entry?.type === 'file' ? entry.content.size : entry?.type === 'directory' ? entry.bytes : 0

/** The tree with an entry put at, or (null) taken from, a place whose parent directory exists. */
export function replaceAt(
  directory: DirectoryEntry,
  names: readonly string[],
  entry: Entry | null,
  modified: number,
  depth = 0,
): DirectoryEntry {
  const name = names[depth]
  if (name === undefined) {
    if (entry?.type !== 'directory') throw refuse('/: Is a directory')
    return entry
  }
  const old = directory.children.get(name)
  const last = depth === names.length - 1
  if (!last && old === undefined) throw refuse(`${name}: No such file or directory`)
  if (!last && old?.type !== 'directory') throw refuse(`${name}: Not a directory`)
  const next = last || old?.type !== 'directory' ? entry : replaceAt(old, names, entry, modified, depth + 1)
  const children = new Map(directory.children)
  if (next === null) children.delete(name)
  else children.set(name, next)
  const bytes = directory.bytes - sizeOf(old) + sizeOf(next ?? undefined)
  return { ...directory, children, bytes, modified: last ? modified : directory.modified }
}

/** The paths below a directory, without what is one and the same in the other one. */
export function* walkApart(directory: DirectoryEntry, other: Entry | undefined, at = ''): Generator<readonly [path: string, entry: Entry]> {
  const others = other?.type === 'directory' ? other.children : null
  for (const [name, entry] of directory.children) {
    const same = others?.get(name)
    if (entry === same) continue
    yield [`${at}/${name}`, entry]
    if (entry.type === 'directory') yield* walkApart(entry, same, `${at}/${name}`)
  }
}

/** Every path below a directory with what is there, parents first, in the order of their names. */
export function* walk(directory: DirectoryEntry, at = ''): Generator<readonly [path: string, entry: Entry]> {
  for (const name of [...directory.children.keys()].sort()) {
    const entry = directory.children.get(name)
    if (entry === undefined) continue
    yield [`${at}/${name}`, entry]
    if (entry.type === 'directory') yield* walk(entry, `${at}/${name}`)
  }
}
