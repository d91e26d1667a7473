/** Two lines that enclose a part of a text file that is ours. */
export interface Marks {
  readonly begin: string
  readonly end: string
}

/** The text between the marks, without its last line break; null where there is no such block. */
export function blockIn(content: string, marks: Marks): string | null {
  const lines = content.split('\n')
  const found = find(lines, marks)
  return found === null ? null : lines.slice(found.from + 1, found.to).join('\n')
}

/**
 * The content with the block set to a text, or without the block. Taking out what was put in gives the same bytes again, also for a
 * file whose last line has no line break: the block is then put behind it without one either.
 */
export function withBlock(content: string, marks: Marks, text: string | null): string {
  const lines = content.split('\n')
  const found = find(lines, marks)
  const block = text === null ? [] : [marks.begin, ...(text === '' ? [] : text.replace(/\n$/, '').split('\n')), marks.end]
  if (found !== null) return [...lines.slice(0, found.from), ...block, ...lines.slice(found.to + 1)].join('\n')
  if (text === null) return content
  return content === '' || content.endsWith('\n') ? `${content}${block.join('\n')}\n` : `${content}\n${block.join('\n')}`
}

function find(lines: readonly string[], marks: Marks): { readonly from: number; readonly to: number } | null {
  const from = lines.indexOf(marks.begin)
  const to = from < 0 ? -1 : lines.indexOf(marks.end, from + 1)
  return to < 0 ? null : { from, to }
}
