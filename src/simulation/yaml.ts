import { parse, parseAllDocuments } from 'yaml'

/** One document of a text, or why it cannot be read. */
export interface YamlDocument {
  readonly value: unknown
  readonly error: string | null
}

/** What a YAML text says. Programs of many hosts read the same few files: each is parsed once, and frozen since all share it. */
export const readYaml = remembering((text) => parse(text) as unknown)

/** The documents of a YAML text. */
export const readYamlDocuments = remembering((text): readonly YamlDocument[] =>
  parseAllDocuments(text).flatMap((document) => {
    const error = document.errors[0]?.message ?? null
    return [{ value: error === null ? (document.toJS() as unknown) : null, error }]
  }),
)

const mostRemembered = 500

function remembering<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const value = known.get(text) ?? frozen(read(text))
    if (known.size >= mostRemembered) known.clear()
    known.set(text, value)
    return value
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
