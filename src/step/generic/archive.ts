import { type FileState, hostPaths, type UnpackedState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { fileBefore, fileKind, keepAside } from './file.ts'

/**
 * What was unpacked where; `replaced` is the hash of an archive of ours that was there before, `found` are files of somebody else that
 * stood where ours are now, by their path.
 */
type ArchiveBefore = {
  readonly into: string
  readonly made: readonly string[]
  readonly replaced: string | null
  readonly found?: Readonly<Record<string, FileState>>
}

const archiveKind: Kind<ArchiveBefore> = {
  name: 'archive',
  // An installation that was cut off has no mark: what it may have left is removed in any case.
  probe: () => null,
  undo: async (on, mark, { made, into, replaced, found = {} }) => {
    // One that took the place of an older one of ours has nothing to go back to but its absence.
    if (replaced !== null) return
    for (const path of made.map((member) => `${into}/${member}`)) if (found[path] === undefined) await on.files.remove(path)
    for (const [path, state] of Object.entries(found)) {
      const [now] = await on.inspect([{ kind: 'file', path }])
      // An installation that was cut off early has not touched it yet, nor kept a copy.
      if (!fileKind.isBack(fileBefore(state), now)) await fileKind.undo(on, path, fileBefore(state))
    }
    await on.files.remove(mark)
  },
  isBack: () => true,
  seeAgain: ({ id, before: { into, made }, desired }) => ({
    kind: 'unpacked',
    mark: id,
    sha256: (desired as { readonly sha256: string } | undefined)?.sha256 ?? '',
    paths: made.map((member) => `${into}/${member}`),
  }),
  holds: (_desired, now) => (now as UnpackedState).whole,
  isLeft: ({ made, into, found = {} }, now) => {
    const { whole, files } = now as UnpackedState
    return whole || made.some((member, i) => found[`${into}/${member}`] === undefined && files[i]?.type !== 'absent')
  },
}

interface Archive {
  /** Names it on the host, together with the directory. */
  readonly name: string
  /** On this machine. */
  readonly from: string
  readonly sha256: string
  /** A directory that is there. */
  readonly into: string
  /** What comes out of it, by its path in the archive. */
  readonly members: readonly string[]
  /** How many leading directories of the members are left away. */
  readonly strip?: number
}

/** Where the host remembers which archive was unpacked: a file that changes with the programs, and is read faster than they are. */
export const archiveMark = (into: string, name: string): string => `${into}/.${name}.kubexm`

/** Brings an archive to the host and unpacks the named members. Done when all are there and the mark beside them names this archive. */
export function installArchive({ name, from, sha256: hash, into, members, strip = 0 }: Archive): Op {
  const mark = archiveMark(into, name)
  // Among what kubexm keeps for itself: whatever happens to it there, it goes with the cluster.
  const arrived = `${hostPaths.root}/arriving/${name}`
  const made = members.map((member) => member.split('/').slice(strip).join('/'))
  const paths = made.map((member) => `${into}/${member}`)
  return defineOp({
    kind: archiveKind,
    id: mark,
    does: `install ${name} into ${into}`,
    transfer: true,
    probe: { kind: 'unpacked', mark, sha256: hash, paths },
    desired: { sha256: hash },
    isDone: (state) => state.whole,
    capture: ({ replaced, files }) => ({ into, made, replaced, ...(replaced === null ? { found: foundAt(paths, files) } : {}) }),
    apply: async (on, _ctx, { replaced, files }) => {
      for (const [path, state] of replaced === null ? Object.entries(foundAt(paths, files)) : []) await keepAside(on, path, state)
      await on.files.upload(from, arrived, { mode: '0600', sha256: hash })
      await on.files.extract(arrived, into, { members, strip })
      await on.files.remove(arrived)
      // The mark comes last: an installation that was cut off is done again.
      await on.files.write(mark, `${hash}\n`, { mode: '0644' })
    },
  })
}

/** The files that stood in the way, by their path. */
const foundAt = (paths: readonly string[], files: readonly FileState[]): Readonly<Record<string, FileState>> =>
  Object.fromEntries(paths.flatMap((path, i) => (files[i] === undefined || files[i].type === 'absent' ? [] : [[path, files[i]] as const])))

export const archiveKinds: readonly Kind<never>[] = [archiveKind]
