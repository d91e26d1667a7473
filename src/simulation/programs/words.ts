/** The words of a command line: single flags (`-rf` is two), options with a value, and the rest. */
export interface Words {
  readonly flags: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
  readonly operands: readonly string[]
}

/** Splits a program's words; `withValue` names the options that take the next word, or what follows `=`. */
export function words(argv: readonly string[], withValue: readonly string[] = []): Words {
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const operands: string[] = []
  let onlyOperands = false
  for (let i = 1; i < argv.length; i += 1) {
    const word = argv[i] ?? ''
    const [name = '', ...rest] = word.split('=')
    if (onlyOperands || !word.startsWith('-') || word === '-') operands.push(word)
    else if (word === '--') onlyOperands = true
    else if (withValue.includes(word)) {
      i += 1
      values.set(word, argv[i] ?? '')
    } else if (withValue.includes(name)) values.set(name, rest.join('='))
    else if (word.startsWith('--')) {
      flags.add(name)
      if (rest.length > 0) values.set(name, rest.join('='))
    } else for (const letter of word.slice(1)) flags.add(`-${letter}`)
  }
  return { flags, values, operands }
}
