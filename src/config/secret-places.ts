import { isSecret } from './fields.ts'
import { isMap, type Place, type RawMap } from './places.ts'
import { canonicalSchema, childOf, type JsonSchema } from './schema-index.ts'
import { isSecretKey } from './secret.ts'
import type { Tree } from './tree.ts'

/** What a sealed secret begins with. */
export const sealedMark = 'kxsealed:v1:'

/** A value of a config in canonical spelling: who holds it, what the schema says of it, where it stands in the text. */
export interface Found {
  readonly holder: RawMap | unknown[]
  readonly key: string | number
  readonly value: unknown
  readonly schema: JsonSchema | null
  readonly place: Place
}

/**
 * A place where a secret belongs: by the schema or, where that leaves the content open (values of a chart), by the name of the field.
 * A sealed secret is found at the same places as the secret it came from.
 */
export function isSecretPlace({ key, schema, value }: Found): boolean {
  if (schema !== null && isSecret(schema)) return true
  if (typeof key === 'number') return typeof value === 'string' && (value.startsWith(sealedMark) || isSecretAssignment(value))
  return isOpen(schema) && isSecretKey(key) && isLiteral(value)
}

/** Of a list of `name=value`: `admin.password=…`. */
const isSecretAssignment = (text: string): boolean => isSecretKey(/^-*([\w.[\]-]+)=./.exec(text)?.[1]?.split('.').at(-1) ?? '')

const isOpen = (schema: JsonSchema | null): boolean =>
  schema === null ||
  (schema.type === undefined && schema.enum === undefined && schema.const === undefined && schema.properties === undefined)

/** Whether a value at a secret's place is the secret itself, and not a reference to one. */
export const isLiteral = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'

/** Every value below the root, groups before their fields. What stands inside a secret (`{env: …}`) is part of it. */
export function* valuesOf(tree: Tree): Generator<Found> {
  yield* below(tree.root, canonicalSchema(), tree)
}

function* below(holder: unknown, schema: JsonSchema | null, tree: Tree): Generator<Found> {
  if (!isMap(holder) && !Array.isArray(holder)) return
  for (const [name, value] of Object.entries(holder)) {
    const key = Array.isArray(holder) ? Number(name) : name
    const child = schema === null ? null : childOf(schema, key)
    const found = { holder, key, value, schema: child, place: tree.places.get(holder, key) ?? tree.places.root }
    yield found
    if (!isSecretPlace(found)) yield* below(value, child, tree)
  }
}
