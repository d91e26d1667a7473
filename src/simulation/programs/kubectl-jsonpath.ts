import type { Json } from '../../util/json.ts'
import { refuse } from '../refusal.ts'

/**
 * The part of kubectl's JSONPath that commands use: text in quotes, fields (`{.metadata.name}`, a dot in a key written `\.`), and
 * `{range .items[*]}…{end}`. What is a map or a list is printed as JSON, what is not there as nothing.
 */
export function jsonpath(template: string, value: Json): string {
  const [, before = template, path, inside = '', after = ''] = /^(.*?)\{range (\S+)\[\*\]\}(.*?)\{end\}(.*)$/s.exec(template) ?? []
  if (path === undefined) return filled(template, value)
  const items = at(value, path)
  if (items !== undefined && !Array.isArray(items)) throw refuse(`error: ${path} is not array or slice and cannot range over it`)
  return filled(before, value) + (items ?? []).map((item: Json) => filled(inside, item)).join('') + jsonpath(after, value)
}

const filled = (template: string, value: Json): string =>
  template.replace(/\{("(?:[^"\\]|\\.)*"|[^{}"]*)\}/g, (_, inside: string) =>
    inside.startsWith('"') ? String(JSON.parse(inside)) : printed(at(value, inside)),
  )

function printed(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The value at `.metadata.labels.kubernetes\.io/hostname`. */
function at(value: Json, path: string): Json | undefined {
  if (!path.startsWith('.') || /[[\]*?@]/.test(path)) throw refuse(`error: the simulated kubectl does not know the path ${path}`)
  const keys = path
    .slice(1)
    .split(/(?<!\\)\./)
    .map((key) => key.replaceAll('\\.', '.'))
  return keys.reduce<Json | undefined>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<string, Json>>)[key] : undefined),
    value,
  )
}
