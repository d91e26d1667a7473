import * as z from 'zod'
import type { Json } from '../util/json.ts'
import type { Path } from './places.ts'
import { clusterSchema } from './schema/cluster.ts'

/** A JSON Schema as far as kubexm's own uses it. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly examples?: readonly Json[]
  readonly default?: Json
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly required?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly minLength?: number
  readonly deprecated?: boolean
  readonly title?: string
  readonly $schema?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly 'x-since'?: string
  /** Names something on the machine kubexm runs on. */
  readonly 'x-local'?: boolean
}

let made: JsonSchema | null = null

/** The JSON Schema of what a user may write in canonical spelling; made once, when first asked for. */
export function canonicalSchema(): JsonSchema {
  made ??= withExamples(z.toJSONSchema(clusterSchema, { io: 'input', target: 'draft-2020-12' })) as JsonSchema
  return made
}

/** zod drops `examples` of fields whose text it transforms: they travel under a name of our own. */
function withExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExamples)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => (key === 'x-example' ? ['examples', [inner]] : [key, withExamples(inner)])),
  )
}

/** The schema of the field at a path; list indices and map keys lead into their elements. */
export function schemaAt(path: Path): JsonSchema | null {
  let schema: JsonSchema | null = canonicalSchema()
  for (const key of path) {
    if (schema === null) return null
    schema = childOf(schema, key)
  }
  return schema
}

/** The alternatives of a union, or the schema itself. */
export const branchesOf = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf?.flatMap(branchesOf) ?? [schema]

/** The schema of a field or element of a group, list or map. */
export function childOf(schema: JsonSchema, key: string | number): JsonSchema | null {
  for (const branch of branchesOf(schema)) {
    const named =
      typeof key === 'string' && branch.properties !== undefined && Object.hasOwn(branch.properties, key)
        ? branch.properties[key]
        : undefined
    if (named !== undefined) return named
    if (typeof key === 'number' && branch.items !== undefined) return branch.items
    if (typeof key === 'string' && typeof branch.additionalProperties === 'object') return branch.additionalProperties
  }
  return null
}

/** The names of the fields of the group at a path. */
export function fieldsBelow(path: Path): readonly string[] {
  const schema = schemaAt(path)
  return schema === null ? [] : branchesOf(schema).flatMap((branch) => Object.keys(branch.properties ?? {}))
}

/** The example of the field at a path, as it would be written on one line. */
export function exampleOf(path: Path): string | null {
  const example = schemaAt(path)?.examples?.[0]
  return example === undefined ? null : onOneLine(example)
}

/** A value as YAML on one line. */
export function onOneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}: ${onOneLine(inner as Json)}`)
      .join(', ')}}`
  }
  if (typeof value !== 'string') return String(value)
  return /^[\w/.][\w./:@%+-]*$/.test(value) && !/:$|^(true|false|null|[-+]?\d*\.?\d+)$/i.test(value) ? value : JSON.stringify(value)
}
