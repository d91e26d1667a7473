import { fail } from '../error/index.ts'
import { closest } from '../util/suggest.ts'
import { aliases } from './aliases.ts'
import { allFields, isSecret, typeOf } from './fields.ts'
import { apiVersion } from './schema/cluster.ts'
import { branchesOf, canonicalSchema, type JsonSchema, onOneLine } from './schema-index.ts'
import { isUnused } from './unused.ts'

/** What a field means, its type, default and example, and the fields below it; as `kubectl explain` does. */
export function explain(path: string): string {
  const names = path
    .replaceAll(/\[\d*\]/g, '')
    .split('.')
    .filter((name) => name !== '')
  const canonical = aliases.find(({ from }) => from === names.join('.'))?.to
  const wanted = canonical?.split('.') ?? names
  let schema = canonicalSchema()
  for (const [depth, name] of wanted.entries()) {
    const next = stepInto(schema, name)
    if (next === null) throw unknownField(wanted.slice(0, depth).join('.'), name, schema)
    schema = next
  }
  return render(wanted.join('.'), schema, canonical === undefined ? null : names.join('.'))
}

/** Lists and maps are passed through, so that spec.hosts.name is enough. */
function stepInto(schema: JsonSchema, name: string): JsonSchema | null {
  for (const branch of branchesOf(schema)) {
    if (branch.properties !== undefined && Object.hasOwn(branch.properties, name)) return branch.properties[name] ?? null
    const inner = branch.items ?? (typeof branch.additionalProperties === 'object' ? branch.additionalProperties : null)
    const found =
      inner === null ? null : (stepInto(inner, name) ?? (branch.items === undefined && inner.properties !== undefined ? inner : null))
    if (found !== null) return found
  }
  return null
}

function unknownField(parent: string, name: string, schema: JsonSchema) {
  const near = closest(
    name,
    childrenOf(schema).map(([child]) => child),
  )
  const elsewhere = allFields().find((field) => field.path.endsWith(`.${name}`))?.path
  const hint = near !== null ? `; did you mean ${near}?` : elsewhere !== undefined ? `; there is ${elsewhere}` : ''
  return fail('KX_USAGE', { what: `${parent === '' ? 'a Cluster' : parent} has no field ${name}${hint}`, command: 'config explain' })
}

function render(path: string, schema: JsonSchema, otherSpelling: string | null): string {
  const lines = ['KIND:     Cluster', `VERSION:  ${apiVersion}`, '']
  if (path !== '') lines.push(`FIELD:    ${path} <${typeOf(schema)}>`)
  if (otherSpelling !== null) lines.push(`          (${otherSpelling} is another spelling of it)`)
  if (schema.default !== undefined && schema.properties === undefined) lines.push(`DEFAULT:  ${onOneLine(schema.default)}`)
  if (schema['x-since'] !== undefined) lines.push(`SINCE:    ${schema['x-since']}`)
  if (path !== '' && isUnused(path)) lines.push('STATUS:   accepted, not used yet')
  lines.push('', 'DESCRIPTION:', `  ${schema.description ?? ''}`)
  if (isSecret(schema)) lines.push('  Write it as env: NAME, file: PATH or prompt: QUESTION; a literal text is accepted with a warning.')
  const example = schema.examples?.[0]
  if (example !== undefined) lines.push('', 'EXAMPLE:', `  ${path.split('.').at(-1)}: ${onOneLine(example)}`)
  const children = isSecret(schema) ? [] : childrenOf(schema)
  if (children.length > 0) lines.push('', 'FIELDS:')
  for (const [name, child, isRequired] of children)
    lines.push(`  ${name} <${typeOf(child)}>${isRequired ? ' -required-' : ''}`, `    ${child.description ?? ''}`)
  return `${lines.join('\n')}\n`
}

function childrenOf(schema: JsonSchema): readonly (readonly [string, JsonSchema, boolean])[] {
  return branchesOf(schema).flatMap((branch) => {
    const inner = branch.items ?? (typeof branch.additionalProperties === 'object' ? branch.additionalProperties : null)
    const own = Object.entries(branch.properties ?? {}).map(
      ([name, child]) => [name, child, branch.required?.includes(name) === true] as const,
    )
    return inner === null || isSecret(inner) ? own : [...own, ...childrenOf(inner)]
  })
}
