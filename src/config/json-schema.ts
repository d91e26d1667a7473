import { aliases, valueAliases } from './aliases.ts'
import { canonicalSchema, type JsonSchema, schemaAt } from './schema-index.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
interface Draft extends Mutable<Omit<JsonSchema, 'properties'>> {
  properties?: Record<string, Draft>
}

let made: JsonSchema | null = null

/** The JSON Schema for editors (draft 2020-12). Other spellings are in it too, marked as deprecated, so that no valid file is underlined. */
export function jsonSchema(): JsonSchema {
  if (made !== null) return made
  const schema = structuredClone(canonicalSchema()) as Draft
  for (const { from, to } of aliases) {
    const target = schemaAt(to.split('.'))
    if (target === null) continue
    const other = from === 'spec.host' ? { type: 'string' } : structuredClone(target)
    put(schema, from.split('.'), { ...other, deprecated: true, description: `Other spelling of ${to}.` } as Draft)
  }
  put(schema, ['spec', 'loadBalancer', 'mode'], {
    enum: ['external', 'internal', ''],
    deprecated: true,
    description: 'Follows from externalLoadBalancer and internalLoadbalancer.',
  } as Draft)
  for (const [path, words] of Object.entries(valueAliases)) addWords(draftAt(schema, path.split('.')), Object.keys(words))
  addShapes(schema)
  made = schema as JsonSchema
  return made
}

function put(root: Draft, path: readonly string[], value: Draft): void {
  let holder = root
  for (const name of path.slice(0, -1)) {
    holder.properties ??= {}
    // A group that exists only in another spelling is as strict as any other.
    holder.properties[name] ??= { type: 'object', properties: {}, additionalProperties: false, deprecated: true } as Draft
    holder = holder.properties[name] as Draft
  }
  holder.properties ??= {}
  holder.properties[path.at(-1) ?? ''] ??= value
}

const draftAt = (root: Draft, path: readonly string[]): Draft | undefined =>
  path.reduce<Draft | undefined>((schema, name) => schema?.properties?.[name], root)

function addWords(schema: Draft | undefined, words: readonly string[]): void {
  if (schema === undefined) return
  if (schema.const !== undefined) {
    schema.enum = [schema.const, ...words]
    delete schema.const
  } else schema.enum = [...new Set([...(schema.enum ?? []), ...words])]
}

/** Entries of lists that may have another shape. */
function addShapes(root: Draft): void {
  const texts = { type: 'array', items: { type: 'string' } }
  const extra = draftAt(root, ['spec', 'extra'])?.properties
  if (extra?.hosts?.items !== undefined) {
    const other = {
      type: 'object',
      properties: { ip: { type: 'string' }, hostnames: texts },
      required: ['ip', 'hostnames'],
      additionalProperties: false,
    }
    extra.hosts.items = { anyOf: [extra.hosts.items, other] }
  }
  if (extra?.resolves !== undefined) {
    const { description, default: standard, ...list } = extra.resolves
    const other = { type: 'object', properties: { nameservers: texts, searches: texts, options: texts }, additionalProperties: false }
    extra.resolves = {
      anyOf: [list, texts, other],
      ...(description === undefined ? {} : { description }),
      ...(standard === undefined ? {} : { default: standard }),
    } as Draft
  }
  const addon = draftAt(root, ['spec', 'addons'])?.items?.anyOf?.find((branch) => branch.properties !== undefined) as Draft | undefined
  if (addon?.properties !== undefined) {
    const { namespace, chart, yaml } = addon.properties
    const source = { type: 'object', properties: { namespace, chart, yaml }, additionalProperties: false }
    addon.properties.sources = {
      anyOf: [source, { type: 'array', items: source }],
      deprecated: true,
      description: 'Other spelling of chart and yaml.',
    } as Draft
  }
}
