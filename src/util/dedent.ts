/** Removes the common indentation of a template literal, its first line break and its last blank line. */
export function dedent(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  // Values are put in last, so that the lines of a multi-line value are not taken for indentation; the mark stands for them till then.
  const mark = '\u0000'
  const lines = strings
    .join(mark)
    .replace(/^\n/, '')
    .replace(/\n[ \t]*$/, '\n')
    .split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const common = indents.length === 0 ? 0 : Math.min(...indents)
  const parts = lines
    .map((line) => line.slice(Math.min(common, line.length)))
    .join('\n')
    .split(mark)
  return parts.map((part, i) => part + String(values[i] ?? '')).join('')
}
