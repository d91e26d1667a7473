import type { FileState } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** Where the unpacked members and the mark of what was unpacked are. */
type ArchiveBefore = { readonly mark: FileState; readonly into: string; readonly made: readonly string[] }

const archiveKind: Kind<ArchiveBefore> = {
  name: 'archive',
  probe: (mark) => ({ kind: 'file', path: mark }),
  undo: async (on, mark, { mark: state, made, into }) => {
    for (const member of [...made].reverse()) await on.files.remove(`${into}/${member}`)
    if (state.type === 'absent') await on.files.remove(mark, { upTo: state.existing })
  },
  isBack: ({ mark }, now) => (now as FileState).type === mark.type,
}

interface Extraction {
  /** On the host; uploaded by an op before this one. */
  readonly archive: string
  readonly sha256: string
  readonly into: string
  /** The files that come out of it, relative to `into`: what is ours, and what is taken away again. */
  readonly members: readonly string[]
  readonly strip?: number
}

/** Unpacks named members of an archive. Done when the mark beside them names this archive's hash. */
export function extractArchive(extraction: Extraction): Op {
  const mark = `${extraction.into}/.${extraction.archive.split('/').pop() ?? 'archive'}.kubexm`
  const text = `${extraction.sha256}\n`
  return defineOp({
    kind: archiveKind,
    id: mark,
    does: `unpack ${extraction.archive} into ${extraction.into}`,
    probe: { kind: 'file', path: mark },
    desired: { sha256: extraction.sha256 },
    isDone: (state) => state.type === 'file' && state.sha256 === sha256(text),
    capture: (state) => ({ mark: state, into: extraction.into, made: extraction.members }),
    apply: async (on) => {
      await on.files.extract(extraction.archive, extraction.into, {
        members: extraction.members,
        ...(extraction.strip === undefined ? {} : { strip: extraction.strip }),
      })
      // The mark comes last: an extraction that was cut off is done again.
      await on.files.write(mark, text, { mode: '0644' })
    },
  })
}

export const archiveKinds: readonly Kind<never>[] = [archiveKind]
