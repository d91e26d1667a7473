/** Removes the common indentation of a template literal, its first line break and its last blank line. */
export function dedent(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const marks = values.map((_, i) => `\u0000${i}\u0000`)
  const raw = strings.reduce((text, part, i) => text + part + (marks[i] ?? ''), '')
  const lines = raw.replace(/^\n/, '').replace(/\n[ \t]*$/, '\n').split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const common = indents.length === 0 ? 0 : Math.min(...indents)
  const text = lines.map((line) => line.slice(Math.min(common, line.length))).join('\n')
  // Values are put in last, so that the lines of a multi-line value are not taken for indentation.
  return text.replace(/\u0000(\d+)\u0000/g, (_, i) => String(values[Number(i)]))
}
