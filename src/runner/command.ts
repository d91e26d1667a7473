declare const quoted: unique symbol

/** A line of POSIX shell in which every value was quoted by construction. Made only by `sh`. */
export type Command = string & { readonly [quoted]: true }

type Word = string | number | Command | readonly (string | number)[]

const isCommand = Symbol('command')
const commands = new WeakSet<object>()

/** A command inside a command: `raw` parts are wrapped so that the tag can tell them from plain strings. */
interface Wrapped {
  readonly [isCommand]: Command
}

/**
 * Builds a command: the literal text is shell, every value becomes exactly one word (an array: several words).
 * `` sh`rm -- ${path}` `` is safe for any path, also one with quotes, spaces, newlines or a leading dash after `--`.
 */
export function sh(strings: TemplateStringsArray, ...values: readonly (Word | Wrapped)[]): Command {
  const text = strings.reduce((line, part, i) => line + part + (i < values.length ? render(values[i] as Word | Wrapped) : ''), '')
  return text as Command
}

/** Puts a command into another one as it is, for instance behind `if` or in a list. */
export function nested(command: Command): Wrapped {
  const wrapped = { [isCommand]: command }
  commands.add(wrapped)
  return wrapped
}

/** Several commands, each only if the one before it succeeded. */
export const all = (...parts: readonly Command[]): Command => parts.join(' && ') as Command

/** Several commands, one a line, whatever they return. */
export const lines = (...parts: readonly Command[]): Command => parts.join('\n') as Command

function render(value: Word | Wrapped): string {
  if (typeof value === 'object' && commands.has(value)) return (value as Wrapped)[isCommand]
  if (Array.isArray(value)) return value.map((word) => quote(String(word))).join(' ')
  return quote(String(value))
}

/** One word of POSIX shell. Plain words stay readable. */
export function quote(word: string): string {
  // A NUL ends a C string: it cannot be an argument at all, and cutting the word short silently would be worse.
  if (word.includes('\0')) throw new RangeError('a shell word cannot contain a NUL character')
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
