import type { Json } from '../util/json.ts'
import { apiVersion, clusterSchema } from './schema/cluster.ts'
import { branchesOf, canonicalSchema, type JsonSchema, onOneLine } from './schema-index.ts'

/** One field of the schema, for people. */
export interface Field {
  /** `spec.hosts[].name`, `spec.registry.auths.<name>.username`. */
  readonly path: string
  readonly type: string
  readonly isGroup: boolean
  readonly isRequired: boolean
  readonly default: Json | undefined
  readonly about: string
  readonly example: Json | undefined
  readonly since: string
}

/** Every field of the schema, groups before their fields. */
export function allFields(): readonly Field[] {
  return below(canonicalSchema(), '')
}

function below(schema: JsonSchema, path: string): readonly Field[] {
  if (isSecret(schema)) return []
  return branchesOf(schema).flatMap((branch) => [
    ...Object.entries(branch.properties ?? {}).flatMap(([name, child]) => {
      const at = path === '' ? name : `${path}.${name}`
      return [describe(child, at, branch.required?.includes(name) === true), ...below(child, at)]
    }),
    ...(branch.items === undefined ? [] : below(branch.items, `${path}[]`)),
    ...(typeof branch.additionalProperties === 'object' ? below(branch.additionalProperties, `${path}.<name>`) : []),
  ])
}

function describe(schema: JsonSchema, path: string, isRequired: boolean): Field {
  return {
    path,
    type: typeOf(schema),
    isGroup: branchesOf(schema).some((branch) => branch.properties !== undefined) && !isSecret(schema) && schema.examples === undefined,
    isRequired,
    default: schema.properties !== undefined ? undefined : (schema.default ?? defaultAt(path)),
    about: schema.description ?? '',
    example: schema.examples?.[0],
    since: schema['x-since'] ?? '0.1.0',
  }
}

let standard: unknown = null

/** The default of a field whose text is transformed stands only in the result of parsing. */
function defaultAt(path: string): Json | undefined {
  if (/\[\]|<name>/.test(path)) return undefined
  standard ??= clusterSchema.parse({ apiVersion, kind: 'Cluster', metadata: { name: 'x' }, spec: { hosts: [{ name: 'x', address: 'x' }] } })
  const value = path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined),
      standard,
    )
  return path.startsWith('spec.') && path !== 'spec.hosts' ? (value as Json | undefined) : undefined
}

/** A secret is a text or one of three references. */
export const isSecret = (schema: JsonSchema): boolean =>
  branchesOf(schema).some((branch) => branch.properties?.env !== undefined && Object.keys(branch.properties).length === 1)

/** The type of a field in words. */
export function typeOf(schema: JsonSchema): string {
  if (isSecret(schema)) return 'secret'
  if (schema.enum !== undefined) return schema.enum.map((option) => onOneLine(option)).join(' | ')
  if (schema.const !== undefined) return onOneLine(schema.const)
  const branches = branchesOf(schema)
  if (branches.length > 1 && branches.every(({ type }) => type === 'string' || type === 'number' || type === 'boolean')) return 'text'
  if (branches.length > 1) return [...new Set(branches.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `list of ${plural(schema.items === undefined ? 'value' : typeOf(schema.items))}`
  if (schema.properties !== undefined) return 'group'
  if (schema.type === 'object')
    return typeof schema.additionalProperties === 'object' &&
      (schema.additionalProperties.type ?? schema.additionalProperties.anyOf) !== undefined
      ? `map to ${typeOf(schema.additionalProperties)}`
      : 'map'
  return { string: 'text', integer: 'whole number', number: 'number', boolean: 'true | false' }[schema.type ?? ''] ?? 'any value'
}

const plural = (word: string): string => (/^(text|group|value|secret|number)$/.test(word) ? `${word}s` : word)
