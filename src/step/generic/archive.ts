import { all, hostPaths, sh } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** What was unpacked where; `replaced` is the hash of an archive of ours that was there before. */
type ArchiveBefore = { readonly into: string; readonly made: readonly string[]; readonly replaced: string | null }

const archiveKind: Kind<ArchiveBefore> = {
  name: 'archive',
  // An installation that was cut off has no mark: what it may have left is removed in any case.
  probe: () => null,
  undo: async (on, mark, { made, into, replaced }) => {
    // One that took the place of an older one of ours has nothing to go back to but its absence.
    if (replaced !== null) return
    for (const member of made) await on.files.remove(`${into}/${member}`)
    await on.files.remove(mark)
  },
  isBack: () => true,
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

/** Brings an archive to the host and unpacks the named members. Done when all are there and the mark beside them names this archive. */
export function installArchive({ name, from, sha256: hash, into, members, strip = 0 }: Archive): Op {
  const mark = `${into}/.${name}.kubexm`
  // Among what kubexm keeps for itself: whatever happens to it there, it goes with the cluster.
  const arrived = `${hostPaths.root}/arriving/${name}`
  const made = members.map((member) => member.split('/').slice(strip).join('/'))
  return defineOp({
    kind: archiveKind,
    id: mark,
    does: `install ${name} into ${into}`,
    transfer: true,
    probe: { kind: 'command', command: all(...made.map((member) => sh`test -e ${`${into}/${member}`}`), sh`cat ${mark}`) },
    desired: { sha256: hash },
    isDone: (state) => state.code === 0 && state.stdout.trim() === hash,
    capture: (state) => ({ into, made, replaced: state.stdout.trim() === '' ? null : state.stdout.trim() }),
    apply: async (on) => {
      await on.files.upload(from, arrived, { mode: '0600', sha256: hash })
      await on.files.extract(arrived, into, { members, strip })
      await on.files.remove(arrived)
      // The mark comes last: an installation that was cut off is done again.
      await on.files.write(mark, `${hash}\n`, { mode: '0644' })
    },
  })
}

export const archiveKinds: readonly Kind<never>[] = [archiveKind]
