/** Arguments of a program by name. */
export type Arguments = Readonly<Record<string, string>>

/** A command for ExecStart, one argument a line, in the order of their names: a changed one is then one changed line. */
export function execStart(program: string, args: Arguments): string {
  const words = Object.entries(args)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => unitWord(`--${name}=${value}`))
  return [program, ...words].join(' \\\n  ')
}

/** One word of a command in a unit file: no specifier, no variable and no blank in it means anything. */
export function unitWord(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[A-Za-z0-9_@%$+=:,./*-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
