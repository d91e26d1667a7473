import { parse, parseAllDocuments } from 'yaml'
import { remembering } from '../util/remember.ts'

/** One document of a text, or why it cannot be read. */
export interface YamlDocument {
  readonly value: unknown
  readonly error: string | null
}

/** What a YAML text says. Programs of many hosts read the same few files: each is parsed once, and frozen since all share it. */
export const readYaml = remembering((text) => frozen(parse(text) as unknown), 500)

/** The documents of a YAML text. */
export const readYamlDocuments = remembering(
  (text): readonly YamlDocument[] =>
    frozen(
      parseAllDocuments(text).map((document) => {
        const error = document.errors[0]?.message ?? null
        return { value: error === null ? (document.toJS() as unknown) : null, error }
      }),
    ),
  500,
)

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
