import { Content } from './content.ts'
import type { Entry } from './entry.ts'
import { refuse } from './refusal.ts'
import { type HostState, processesOf } from './state.ts'
import { emptyDirectory, entryAt, joinNames, locate, normalMode, replaceAt } from './tree.ts'

/** Mode and owner as a caller gives them. */
export interface Given {
  readonly mode: string
  readonly owner?: string
}

/** The text of a file, links followed; null where there is no file. */
export function readText(state: HostState, path: string): string | null {
  const entry = entryAt(state.root, path)
  if (entry === null) return null
  if (entry.type === 'directory') throw refuse(`cat: ${path}: Is a directory`)
  return entry.type === 'file' ? entry.content.text() : ''
}

/** The names in a directory, sorted; none where there is no directory. */
export function listNames(state: HostState, path: string): readonly string[] {
  const entry = entryAt(state.root, path)
  return entry?.type === 'directory' ? [...entry.children.keys()].sort() : []
}

/** Writes a file as a whole, making its parents; the old one stays until the new one is complete. */
export function writeFile(state: HostState, path: string, content: Content, given: Given): HostState {
  const owner = knownOwner(state, given.owner)
  const mode = normalMode(given.mode)
  // The temporary file lies beside the old one until it is renamed, so room for both is needed.
  needRoom(state, path, content.size)
  const ready = makeParents(state, path, '0755')
  const place = locate(ready.root, path, false)
  if (place.entry?.type === 'directory') throw refuse(`mv: cannot overwrite directory '${path}' with non-directory`)
  return put(ready, place.names, { type: 'file', content, mode, owner, modified: state.now })
}

/** Adds text to a file, following links; makes the file (0600) and its parents when they are missing. */
export function appendText(state: HostState, path: string, text: string): HostState {
  const content = new Content(text)
  needRoom(state, path, content.size)
  const ready = makeParents(state, path, '0755')
  const place = locate(ready.root, path)
  if (place.entry === null) return put(ready, place.names, { type: 'file', content, mode: '0600', owner: 'root:root', modified: state.now })
  if (place.entry.type !== 'file') throw refuse(`${path}: Is a directory`)
  return put(ready, place.names, { ...place.entry, content: place.entry.content.with(text), modified: state.now })
}

/** Makes a directory and its parents; one that is there gets the mode and owner. */
export function makeDirectory(state: HostState, path: string, given: Given): HostState {
  const owner = knownOwner(state, given.owner)
  const mode = normalMode(given.mode)
  const ready = makeParents(state, path, '0755')
  const place = locate(ready.root, path)
  if (place.entry !== null && place.entry.type !== 'directory') throw refuse(`mkdir: cannot create directory '${path}': File exists`)
  if (place.entry === null) return put(ready, place.names, emptyDirectory(mode, owner, state.now))
  return put(ready, place.names, { ...place.entry, mode, owner })
}

/** Makes a symbolic link, replacing a file or a link. */
export function makeLink(state: HostState, path: string, target: string): HostState {
  const ready = makeParents(state, path, '0755')
  const place = locate(ready.root, path, false)
  if (place.entry?.type === 'directory') throw refuse(`ln: ${path}: cannot overwrite directory`)
  return put(ready, place.names, { type: 'link', target, mode: '0777', owner: 'root:root', modified: state.now })
}

/** Sets mode and owner, links followed. */
export function setAttributes(state: HostState, path: string, given: Given): HostState {
  const place = locate(state.root, path)
  if (place.entry === null) throw refuse(`chmod: cannot access '${path}': No such file or directory`)
  const owner = given.owner === undefined ? place.entry.owner : knownOwner(state, given.owner)
  return put(state, place.names, { ...place.entry, mode: normalMode(given.mode), owner })
}

/** Removes what is at a path; a link itself, not what it points to. */
export function removePath(state: HostState, path: string, recursive: boolean): HostState {
  const place = locate(state.root, path, false)
  if (place.entry === null) return state
  const real = joinNames(place.names)
  if (place.names.length === 0) throw refuse(`rm: it is dangerous to operate recursively on '/'`)
  if (place.entry.type === 'directory' && place.entry.children.size > 0 && !recursive)
    throw refuse(`rmdir: failed to remove '${path}': Directory not empty`)
  refuseIfInUse(state, real)
  return put(state, place.names, null)
}

/** Removes the directories above a path that are empty, below but not including `upTo`. */
export function removeEmptyParents(state: HostState, path: string, upTo: string): HostState {
  const parent = path.slice(0, path.lastIndexOf('/'))
  if (parent === upTo || !parent.startsWith(upTo === '/' ? '/' : `${upTo}/`)) return state
  const entry = entryAt(state.root, parent, false)
  if (entry !== null && (entry.type !== 'directory' || entry.children.size > 0)) return state
  return removeEmptyParents(removePath(state, parent, false), parent, upTo)
}

/** Copies a file, a link or a tree with mode, owner and times in place of what was there; parents it makes are 0700. */
export function copyPath(state: HostState, from: string, to: string): HostState {
  const source = entryAt(state.root, from, false)
  if (source === null) throw refuse(`cp: cannot stat '${from}': No such file or directory`)
  needRoom(state, to, source.type === 'file' ? source.content.size : source.type === 'directory' ? source.bytes : 0)
  const ready = makeParents(state, to, '0700')
  const place = locate(ready.root, to, false)
  const overDirectory = place.entry?.type === 'directory'
  if (overDirectory && source.type !== 'directory') throw refuse(`mv: cannot overwrite directory '${to}' with non-directory`)
  if (overDirectory && place.entry.children.size > 0) throw refuse(`mv: cannot move to '${to}': Directory not empty`)
  if (!overDirectory && place.entry !== null && source.type === 'directory')
    throw refuse(`mv: cannot overwrite non-directory '${to}' with directory '${from}'`)
  return put(ready, place.names, source)
}

/** Moves within the file system. */
export function movePath(state: HostState, from: string, to: string): HostState {
  const source = locate(state.root, from, false)
  if (source.entry === null) throw refuse(`mv: cannot stat '${from}': No such file or directory`)
  const place = locate(state.root, to, false)
  if (place.entry?.type === 'directory') throw refuse(`mv: cannot overwrite directory '${to}'`)
  return put(put(state, source.names, null), place.names, source.entry)
}

/** Replaces a file's content and keeps its mode and owner; makes it (0644) when it is not there. */
export function rewriteFile(state: HostState, path: string, text: string): HostState {
  const place = locate(state.root, path)
  if (place.entry === null) return writeFile(state, path, new Content(text), { mode: '0644' })
  if (place.entry.type !== 'file') throw refuse(`${path}: Is a directory`)
  return writeFile(state, joinNames(place.names), new Content(text), { mode: place.entry.mode, owner: place.entry.owner })
}

/** Bytes still free on the disk. */
export const freeBytes = (state: HostState): number => state.machine.diskBytes - state.machine.systemBytes - state.root.bytes

function needRoom(state: HostState, path: string, size: number): void {
  if (size > freeBytes(state)) throw refuse(`write error: ${path}: No space left on device`)
}

/** Puts an entry at a place whose parent exists. */
export function put(state: HostState, names: readonly string[], entry: Entry | null): HostState {
  return { ...state, root: replaceAt(state.root, names, entry, state.now) }
}

function makeParents(state: HostState, path: string, mode: string): HostState {
  const { names } = locate(state.root, path, false)
  let next = state
  let here: Entry | undefined = state.root
  for (const [above, name] of names.slice(0, -1).entries()) {
    here = here?.type === 'directory' ? here.children.get(name) : undefined
    if (here === undefined) next = put(next, names.slice(0, above + 1), emptyDirectory(mode, 'root:root', state.now))
    else if (here.type !== 'directory')
      throw refuse(`mkdir: cannot create directory '${joinNames(names.slice(0, above + 1))}': Not a directory`)
  }
  return next
}

/** A path that runs, or that the service manager still needs, cannot be pulled away. */
function refuseIfInUse(state: HostState, real: string): void {
  const within = (path: string | null): boolean => path !== null && (path === real || path.startsWith(`${real}/`))
  for (const [name, unit] of state.units)
    if (unit.active === 'active' && within(unit.definition.path))
      throw refuse(`rm: cannot remove '${unit.definition.path}': ${name} is active`)
  for (const process of processesOf(state))
    if (within(process.binary)) throw refuse(`rm: cannot remove '${process.binary}': Text file busy`)
  for (const mount of state.mounts.keys())
    if (mount !== '/' && within(mount)) throw refuse(`rm: cannot remove '${mount}': Device or resource busy`)
}

/** The owner as `user:group`, refused where the host does not know one of them. */
export function knownOwner(state: HostState, owner = 'root:root'): string {
  const [user = '', group = ''] = owner.split(':')
  const userKnown = state.users.has(user) || /^\d+$/.test(user)
  if (!userKnown) throw refuse(`chown: invalid user: '${owner}'`)
  const groupName = group === '' ? groupOf(state, user) : group
  if (!state.groups.has(groupName) && !/^\d+$/.test(groupName)) throw refuse(`chown: invalid group: '${owner}'`)
  return `${user}:${groupName}`
}

function groupOf(state: HostState, user: string): string {
  const gid = state.users.get(user)?.gid
  for (const [name, id] of state.groups) if (id === gid) return name
  return user
}
