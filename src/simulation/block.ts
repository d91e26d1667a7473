import { readText, rewriteFile } from './files.ts'
import type { HostState } from './state.ts'

interface Marks {
  readonly begin: string
  readonly end: string
}

/** The text between two marks of a file; null where there is no such block. */
export function readBlock(state: HostState, path: string, marks: Marks): { readonly file: boolean; readonly text: string | null } {
  const content = readText(state, path)
  if (content === null) return { file: false, text: null }
  const found = findBlock(content.split('\n'), marks)
  return { file: true, text: found === null ? null : found.inside.join('\n') }
}

/** Sets the text between two marks, appends the block when it is not there; null takes it out. The same state where nothing changes. */
export function setBlock(state: HostState, path: string, marks: Marks, text: string | null): HostState {
  const content = readText(state, path)
  if (content === null && text === null) return state
  const changed = withBlock(content ?? '', marks, text)
  return changed === content ? state : rewriteFile(state, path, changed)
}

/** Taking out what was put in gives the same bytes again, also for a file whose last line has no line break. */
function withBlock(content: string, marks: Marks, text: string | null): string {
  const lines = content.split('\n')
  const found = findBlock(lines, marks)
  const block = text === null ? [] : [marks.begin, ...(text === '' ? [] : text.replace(/\n$/, '').split('\n')), marks.end]
  if (found !== null) return [...lines.slice(0, found.from), ...block, ...lines.slice(found.to + 1)].join('\n')
  if (text === null) return content
  return content === '' || content.endsWith('\n') ? `${content}${block.join('\n')}\n` : `${content}\n${block.join('\n')}`
}

function findBlock(
  lines: readonly string[],
  marks: Marks,
): { readonly from: number; readonly to: number; readonly inside: readonly string[] } | null {
  const from = lines.indexOf(marks.begin)
  const to = from < 0 ? -1 : lines.indexOf(marks.end, from + 1)
  return to < 0 ? null : { from, to, inside: lines.slice(from + 1, to) }
}
