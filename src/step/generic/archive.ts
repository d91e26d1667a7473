import type { FileState } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** Where the unpacked members are, and the mark of what was unpacked. */
type ArchiveBefore = { readonly mark: FileState; readonly into: string; readonly made: readonly string[] }

const archiveKind: Kind<ArchiveBefore> = {
  name: 'archive',
  // The mark tells nothing about an installation that was cut off: what it may have left is removed in any case.
  probe: () => null,
  undo: async (on, mark, { mark: state, made, into }) => {
    // An archive that took the place of an older one of ours has nothing to go back to but its absence.
    if (state.type !== 'absent') return
    for (const member of made) await on.files.remove(`${into}/${member}`)
    await on.files.remove(mark, { upTo: state.existing })
  },
  isBack: () => true,
}

interface Archive {
  /** Names it on the host, together with the directory. */
  readonly name: string
  /** On this machine. */
  readonly from: string
  readonly sha256: string
  readonly into: string
  /** What comes out of it, by its path in the archive. */
  readonly members: readonly string[]
  /** How many leading directories of the members are left away. */
  readonly strip?: number
}

/** Brings an archive to the host and unpacks the named members. Done when the mark beside them names this archive's hash. */
export function installArchive({ name, from, sha256: hash, into, members, strip = 0 }: Archive): Op {
  const mark = `${into}/.${name}.kubexm`
  const arrived = `${into}/.${name}.arriving`
  const text = `${hash}\n`
  return defineOp({
    kind: archiveKind,
    id: mark,
    does: `install ${name} into ${into}`,
    transfer: true,
    probe: { kind: 'file', path: mark },
    desired: { sha256: hash },
    isDone: (state) => state.type === 'file' && state.sha256 === sha256(text),
    capture: (state) => ({ mark: state, into, made: [...members.map((member) => member.split('/').slice(strip).join('/')), `.${name}.arriving`] }),
    apply: async (on) => {
      await on.files.upload(from, arrived, { mode: '0600', sha256: hash })
      await on.files.extract(arrived, into, { members, strip })
      await on.files.remove(arrived)
      // The mark comes last: an installation that was cut off is done again.
      await on.files.write(mark, text, { mode: '0644' })
    },
  })
}

export const archiveKinds: readonly Kind<never>[] = [archiveKind]
