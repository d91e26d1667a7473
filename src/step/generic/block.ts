import type { BlockState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** Marks around the part of a shared file that is ours. */
export const managedMarks = { begin: '# BEGIN KubeXM Managed Block', end: '# END KubeXM Managed Block' } as const

const blockKind: Kind<BlockState> = {
  name: 'block',
  probe: (path) => ({ kind: 'block', path, ...managedMarks }),
  // Only the block goes back, not the file: what others wrote around it since then stays.
  undo: async (on, path, before) => {
    await on.files.setBlock(path, managedMarks, before.text)
    if (!before.file && (await on.files.read(path)) === '') await on.files.remove(path)
  },
  isBack: (before, now) => (now as BlockState).text === before.text,
}

/** Keeps a marked block of text in a file that others write to as well, such as /etc/hosts. */
export function managedBlock(block: { readonly path: string; readonly text: string }): Op {
  const text = block.text.replace(/\n$/, '')
  return defineOp({
    kind: blockKind,
    id: block.path,
    does: `keep the managed block in ${block.path}`,
    probe: { kind: 'block', path: block.path, ...managedMarks },
    desired: { text },
    isDone: (state) => state.text === text,
    capture: (state) => state,
    apply: (on) => on.files.setBlock(block.path, managedMarks, text),
  })
}

export const blockKinds: readonly Kind<never>[] = [blockKind]
