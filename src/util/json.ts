/** Any value that survives JSON: what plans, journals, ledgers and events are made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** JSON with object keys in sorted order, so that equal values give equal text (and equal hashes). */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`)
  return `{${members.join(',')}}`
}

/** Array.isArray does not narrow readonly arrays out of a union. */
export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
