import { fail } from '../../error/index.ts'
import { compareDebVersions } from './deb-version.ts'

/** A package as the index of a repository describes it. */
export interface DebPackage {
  readonly name: string
  readonly version: string
  /** `amd64`, `arm64`, or `all`. */
  readonly architecture: string
  /** Every one of these, by any of its names. */
  readonly depends: readonly (readonly string[])[]
  /** Names it can stand for besides its own. */
  readonly provides: readonly string[]
  readonly required: boolean
  /** Where it is. */
  readonly url: string
  readonly size: number
  readonly sha256: string
}

/** Reads a `Packages` file; `base` is what the places in it are relative to. Entries without a hash cannot be proven and are left out. */
export function parsePackages(text: string, base: string): readonly DebPackage[] {
  return text.split(/\n{2,}/).flatMap((stanza) => {
    const fields = fieldsOf(stanza)
    const [name, filename, sha256] = [fields.get('package'), fields.get('filename'), fields.get('sha256')]
    if (name === undefined || filename === undefined || sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256)) return []
    return [
      {
        name,
        version: fields.get('version') ?? '0',
        architecture: fields.get('architecture') ?? 'all',
        depends: [...clauses(fields.get('pre-depends')), ...clauses(fields.get('depends'))],
        provides: clauses(fields.get('provides')).flat(),
        required: fields.get('essential') === 'yes' || fields.get('priority') === 'required',
        // A name may hold an epoch as %3a: that is what the file is called, not how a colon is written.
        url: `${base.replace(/\/$/, '')}/${encodeURI(filename.replace(/^\.\//, ''))}`,
        size: Number(fields.get('size') ?? 0),
        sha256,
      },
    ]
  })
}

/** `Name: value`, continued on lines that begin with a blank. */
function fieldsOf(stanza: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const [, name = '', value = ''] of stanza.matchAll(/^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)/gm))
    fields.set(name.toLowerCase(), value.trim())
  return fields
}

/** `a (>= 1) | b:any, c` as names: versions are left to the package manager of the host. */
const clauses = (text = ''): readonly (readonly string[])[] =>
  text
    .split(',')
    .map((clause) =>
      clause
        .split('|')
        .map((name) => name.replace(/[(:[<].*$/s, '').trim())
        .filter((name) => name !== ''),
    )
    .filter((names) => names.length > 0)

/**
 * The named packages with everything they depend on, the newest of each, for one architecture. A dependency that the repositories do not
 * have is left to the host: a machine has more than one repository offers. A named package must be there.
 */
export function withDependencies(index: readonly DebPackage[], names: readonly string[], arch: string): readonly DebPackage[] {
  const newest = new Map<string, DebPackage>()
  const providers = new Map<string, DebPackage[]>()
  for (const one of index) {
    if (one.architecture !== arch && one.architecture !== 'all') continue
    const known = newest.get(one.name)
    if (known === undefined || compareDebVersions(known.version, one.version) < 0) newest.set(one.name, one)
  }
  for (const one of newest.values()) for (const name of one.provides) providers.set(name, [...(providers.get(name) ?? []), one])
  const missing = names.filter((name) => !newest.has(name) && !providers.has(name))
  if (missing.length > 0) throw fail('KX_PACKAGE_SOURCE', { what: missing.join(' '), why: `the repositories have none for ${arch}` })

  const chosen = new Map<string, DebPackage>()
  const standIn = (name: string): DebPackage | undefined => {
    const able = providers.get(name) ?? []
    return able.find((one) => chosen.has(one.name)) ?? able.find((one) => one.required) ?? able[0]
  }
  const open = names.map((name) => [name])
  for (let alternatives = open.pop(); alternatives !== undefined; alternatives = open.pop()) {
    // One that comes in any case also answers the question.
    if (alternatives.some((name) => chosen.has(name) || (providers.get(name) ?? []).some((one) => chosen.has(one.name)))) continue
    const found = firstOf(alternatives, (name) => newest.get(name)) ?? firstOf(alternatives, standIn)
    if (found === undefined) continue
    chosen.set(found.name, found)
    open.push(...found.depends.map((names) => [...names]))
  }
  return [...chosen.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function firstOf<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name)
    if (found !== undefined) return found
  }
  return undefined
}
