import { type CommandState, sh } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { managedMarks } from './block.ts'

/** Stands before a line that kubexm took out of use; what follows is the line as it was. */
const offMark = '# kubexm: '

/** What is done to a text that belongs to others. Nothing is deleted: lines are commented out, and what is added stands between marks. */
export interface TextEdit {
  /** The lines to take out of use, told by the line and by the text as it is without kubexm. */
  readonly off?: (line: string, foreign: string) => boolean
  /** What to say in the managed block, made from the text as it is without kubexm; null says nothing. */
  readonly add?: (foreign: string) => string | null
  /** Where the block goes; by default at the end. */
  readonly at?: 'start' | 'end'
}

/** A text before an edit, as far as kubexm had a hand in it already: contents of others never go into a journal. */
type EditBefore = {
  readonly file: boolean
  readonly block: string | null
  /** Hashes of the lines that were out of use already. */
  readonly off: readonly string[]
}

/** The text with the edit made, whatever earlier edit of kubexm is in it. */
export function edited(text: string, { off = () => false, add = () => null, at = 'end' }: TextEdit): string {
  const foreign = restored(text, { block: null, off: [] })
  const lines = foreign.split('\n').map((line) => (off(line, foreign) ? offMark + line : line))
  const block = add(foreign)
  if (block === null) return lines.join('\n')
  const end = lines.at(-1) === '' ? lines.length - 1 : lines.length
  return lines.toSpliced(at === 'start' ? 0 : end, 0, managedMarks.begin, ...block.split('\n'), managedMarks.end).join('\n')
}

/** The text with kubexm's part in it as it was before; what others wrote meanwhile stays. */
export function restored(text: string, before: Pick<EditBefore, 'block' | 'off'>): string {
  const lines = text.split('\n')
  const block = blockOf(lines)
  const inside = before.block === null ? [] : [managedMarks.begin, ...before.block.split('\n'), managedMarks.end]
  const without = block === null ? lines : lines.toSpliced(block.from, block.length, ...inside)
  const isOurs = (line: string): boolean => line.startsWith(offMark) && !before.off.includes(sha256(line))
  return without.map((line) => (isOurs(line) ? line.slice(offMark.length) : line)).join('\n')
}

function blockOf(lines: readonly string[]): { readonly from: number; readonly length: number; readonly text: string } | null {
  const from = lines.indexOf(managedMarks.begin)
  const to = from < 0 ? -1 : lines.indexOf(managedMarks.end, from + 1)
  return to < 0 ? null : { from, length: to - from + 1, text: lines.slice(from + 1, to).join('\n') }
}

function beforeOf(text: string | null): EditBefore {
  const lines = text?.split('\n') ?? []
  return {
    file: text !== null,
    block: blockOf(lines)?.text ?? null,
    off: lines.filter((line) => line.startsWith(offMark)).map((line) => sha256(line)),
  }
}

const content = (path: string) => ({ kind: 'command', command: sh`cat -- ${path}` }) as const
/** One character a byte, as `files.edit` has it; null where there is no file. */
const textOf = (state: CommandState): string | null => (state.code === 0 ? Buffer.from(state.stdout).toString('latin1') : null)

const editKind: Kind<EditBefore> = {
  name: 'edit',
  probe: content,
  undo: async (on, path, before) => {
    await on.files.edit(path, (text) => restored(text, before))
    if (!before.file && (await on.files.read(path)) === '') await on.files.remove(path)
  },
  isBack: (before, now) => {
    const text = textOf(now as CommandState)
    return text === null || (restored(text, before) === text && (before.file || text !== ''))
  },
}

/**
 * Edits a file of somebody else line by line. Put back exactly, however the rest of the file has changed since. A file that is not there
 * is made only where the edit has something to add to nothing.
 */
export function editFile(file: TextEdit & { readonly path: string; readonly does: string }): Op {
  return defineOp({
    kind: editKind,
    id: file.path,
    does: file.does,
    probe: content(file.path),
    isDone: (state) => edited(textOf(state) ?? '', file) === (textOf(state) ?? ''),
    capture: (state) => beforeOf(textOf(state)),
    apply: async (on, _ctx, state) => {
      if (state.code === 0) return on.files.edit(file.path, (text) => edited(text, file))
      await on.files.write(file.path, edited('', file), { mode: '0644' })
    },
  })
}

export const editKinds: readonly Kind<never>[] = [editKind]
