import { type FileState, hostPaths, type Runner } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import type { Json } from '../../util/json.ts'
import { Secret } from '../../util/secret.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** A path before it was changed; the old content is kept on the host itself, by its hash, never in a journal. */
export type FileBefore = { readonly state: FileState; readonly backup: string | null }

const backupOf = (state: FileState): string | null => (state.type === 'file' ? `${hostPaths.backup}/${state.sha256}` : null)
/** What undo needs to know of a path. */
export const fileBefore = (state: FileState): FileBefore => ({ state, backup: backupOf(state) })

/** Keeps a copy of a file on the host, where undo finds it. */
export async function keepAside(on: Runner, path: string, state: FileState): Promise<void> {
  const backup = backupOf(state)
  if (backup !== null) await on.files.copy(path, backup)
}

/** Any path: file, link or nothing. Directories have their own kind. */
export const fileKind: Kind<FileBefore> = {
  name: 'file',
  probe: (path) => ({ kind: 'file', path }),
  undo: async (on, path, { state, backup }) => {
    if (state.type === 'absent') return on.files.remove(path, { upTo: state.existing })
    if (state.type === 'link') return on.files.link(path, state.target)
    if (state.type !== 'file' || backup === null) return
    await on.files.copy(backup, path)
    await on.files.setAttributes(path, { mode: state.mode, owner: state.owner })
  },
  isBack: ({ state }, now) => samePath(state, now as FileState),
  holds: (desired, now) => {
    const { target, ...wanted } = desired as Partial<Record<'target' | 'sha256' | 'mode' | 'owner' | 'type', string>>
    const seen = now as Readonly<Record<string, Json>>
    // A program of the host may have made the link relative.
    const leads = target === undefined || seen.target === target || seen.target === `..${target}`
    return leads && Object.entries(wanted).every(([part, value]) => seen[part] === value)
  },
  isLeft: ({ state }, now) => state.type === 'absent' && (now as FileState).type !== 'absent',
}

/** Equal for our purpose: same type, content, mode, owner and target. */
function samePath(a: FileState, b: FileState): boolean {
  if (a.type === 'file' && b.type === 'file') return a.sha256 === b.sha256 && a.mode === b.mode && a.owner === b.owner
  if (a.type === 'link' && b.type === 'link') return a.target === b.target
  return a.type === b.type
}

interface Attributes {
  readonly path: string
  /** Octal, by default 0644. */
  readonly mode?: string
  /** By default root:root. */
  readonly owner?: string
}

const attributes = ({ mode = '0644', owner = 'root:root' }: Attributes) => ({ mode, owner })

const hasContent = (state: FileState, hash: string, wanted: { mode: string; owner: string }): boolean =>
  state.type === 'file' && state.sha256 === hash && state.mode === wanted.mode && state.owner === wanted.owner

interface WrittenFile extends Attributes {
  readonly content: string | Secret
  /** Only where there is such a file already: one that is not there stays so. */
  readonly onlyIfThere?: boolean
}

/** Writes a file whole. What was there before is kept aside and comes back on rollback and on delete. */
export function writeFile(file: WrittenFile): Op {
  const wanted = attributes(file)
  const hash = sha256(file.content instanceof Secret ? file.content.reveal() : file.content)
  return defineOp({
    kind: fileKind,
    id: file.path,
    does: `write ${file.path}`,
    probe: { kind: 'file', path: file.path },
    desired: { sha256: hash, ...wanted },
    isDone: (state) => hasContent(state, hash, wanted) || (file.onlyIfThere === true && state.type === 'absent'),
    capture: fileBefore,
    apply: async (on, _ctx, state) => {
      await keepAside(on, file.path, state)
      await on.files.write(file.path, file.content, wanted)
    },
  })
}

/** Brings a file of this machine to the host; `sha256` is known from the catalogue or the cache. */
export function uploadFile(file: Attributes & { readonly from: string; readonly sha256: string }): Op {
  const wanted = attributes(file)
  return defineOp({
    kind: fileKind,
    id: file.path,
    does: `upload ${file.path}`,
    probe: { kind: 'file', path: file.path },
    transfer: true,
    desired: { sha256: file.sha256, ...wanted },
    isDone: (state) => hasContent(state, file.sha256, wanted),
    capture: fileBefore,
    apply: async (on, _ctx, state) => {
      await keepAside(on, file.path, state)
      await on.files.upload(file.from, file.path, { ...wanted, sha256: file.sha256 })
    },
  })
}

/** Makes a symbolic link. */
export function makeLink(link: { readonly path: string; readonly target: string }): Op {
  return defineOp({
    kind: fileKind,
    id: link.path,
    does: `link ${link.path} to ${link.target}`,
    probe: { kind: 'file', path: link.path },
    desired: { target: link.target },
    isDone: (state) => state.type === 'link' && state.target === link.target,
    capture: fileBefore,
    apply: async (on, _ctx, state) => {
      await keepAside(on, link.path, state)
      await on.files.link(link.path, link.target)
    },
  })
}

/** Sees to it that a file is not there; what was there is kept aside. */
export function removeFile(path: string): Op {
  return defineOp({
    kind: fileKind,
    id: path,
    does: `remove ${path}`,
    probe: { kind: 'file', path },
    desired: { type: 'absent' },
    isDone: (state) => state.type === 'absent',
    capture: fileBefore,
    apply: async (on, _ctx, state) => {
      await keepAside(on, path, state)
      await on.files.remove(path)
    },
  })
}

type DirectoryBefore = { readonly state: FileState; readonly contents: 'ours' | 'foreign' }

const directoryKind: Kind<DirectoryBefore> = {
  name: 'directory',
  probe: (path) => ({ kind: 'file', path }),
  undo: async (on, path, { state, contents }) => {
    if (state.type === 'absent') {
      const [now] = await on.inspect([{ kind: 'file', path }])
      // What somebody else put into it is theirs, and so is the directory then.
      if (contents === 'foreign' && now.type === 'directory' && !now.empty) return
      return on.files.remove(path, { recursive: contents === 'ours', upTo: state.existing })
    }
    if (state.type === 'directory') await on.files.setAttributes(path, { mode: state.mode, owner: state.owner })
  },
  isBack: ({ state, contents }, now) => {
    const seen = now as FileState
    if (state.type === 'absent') return seen.type === 'absent' || (contents === 'foreign' && seen.type === 'directory' && !seen.empty)
    if (state.type === 'directory' && seen.type === 'directory') return state.mode === seen.mode && state.owner === seen.owner
    return state.type === seen.type
  },
  isLeft: (before, now) => before.state.type === 'absent' && !directoryKind.isBack(before, now),
}

interface Directory extends Attributes {
  /** Whose the files in it are that no op made: `ours` (a service's state) go with the directory. By default foreign. */
  readonly contents?: 'ours' | 'foreign'
  /** Data of the user's workloads: kept on delete unless asked for. */
  readonly data?: boolean
}

/** Makes a directory with mode and owner. */
export function makeDirectory(directory: Directory): Op {
  const wanted = attributes({ mode: '0755', ...directory })
  return defineOp({
    kind: directoryKind,
    id: directory.path,
    does: `make directory ${directory.path}`,
    probe: { kind: 'file', path: directory.path },
    desired: wanted as Json,
    ...(directory.data === true ? { data: true } : {}),
    isDone: (state) => state.type === 'directory' && state.mode === wanted.mode && state.owner === wanted.owner,
    capture: (state) => ({ state, contents: directory.contents ?? 'foreign' }),
    apply: (on) => on.files.makeDirectory(directory.path, wanted),
  })
}

/**
 * Makes a directory ours that a program or package is about to make by itself: it goes with the cluster, whatever is in it then.
 * Mode and owner are the program's business. One that is there already is not ours.
 */
export const claimDirectory = (path: string): Op =>
  defineOp({
    kind: directoryKind,
    id: path,
    does: `make directory ${path}`,
    probe: { kind: 'file', path },
    isDone: (state) => state.type === 'directory',
    capture: (state) => ({ state, contents: 'ours' as const }),
    apply: (on) => on.files.makeDirectory(path, attributes({ path, mode: '0755' })),
  })

/** The same for a file: an empty one stands there until the program makes it its own, or leaves it as it is. */
export const claimFile = (path: string, mode = '0644'): Op =>
  defineOp({
    kind: fileKind,
    id: path,
    does: `make file ${path}`,
    probe: { kind: 'file', path },
    isDone: (state) => state.type !== 'absent',
    capture: fileBefore,
    apply: (on) => on.files.write(path, '', attributes({ path, mode })),
  })

export const fileKinds: readonly Kind<never>[] = [fileKind, directoryKind]
