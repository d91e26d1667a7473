import { aliases, hostEntries, valueAliases } from './aliases.ts'
import { isMap, type Path, type Place, type RawMap, valueAt } from './places.ts'
import type { Problems } from './problem.ts'
import type { Tree } from './tree.ts'

/** Moves values to their canonical fields and words, each with a notice. The places of the values move with them. */
export function respell(tree: Tree, problems: Problems): void {
  if (!isMap(tree.root)) return
  resolveModes(tree.root, tree, problems)
  for (const { from, to, convert } of aliases) move(tree, problems, from.split('.'), to.split('.'), convert)
  for (const [path, words] of Object.entries(valueAliases)) replaceWord(tree, problems, path.split('.'), words)
  respellExtra(tree, problems)
  respellAddons(tree, problems)
}

/** Moves the value at one path to another; reports a notice, or a conflict if another value is there. */
export function move(tree: Tree, problems: Problems, from: Path, to: Path, convert: (value: unknown) => unknown = (value) => value): void {
  const found = holderOf(tree.root, from)
  if (found === null) return
  const { holder, key } = found
  const place = tree.places.get(holder, key) ?? tree.places.root
  const value = convert(holder[key])
  delete holder[key]
  dropEmpty(tree.root, from.slice(0, -1))
  if (value === null || value === undefined) return
  const [spelling, canonical] = [from, to].map((one) => one.join('.').replace(/^spec\./, '')) as [string, string]
  const target = makeHolder(tree, to.slice(0, -1), place)
  const last = String(to.at(-1))
  if (target === null) return
  const present = target[last]
  if (isMap(present) && isMap(value)) {
    for (const [name, inner] of Object.entries(value))
      if (present[name] === undefined) adopt(tree, present, name, inner, tree.places.get(value, name) ?? place)
  } else if (present !== undefined && present !== null && !sameValue(present, value)) {
    problems.add(
      'error',
      'KX_CONFIG_CONFLICT',
      { spelling, canonical, seen: show(value), other: show(present) },
      { ...range(place), path: place.path },
    )
    return
  } else adopt(tree, target, last, value, place)
  problems.add('warning', 'KX_CONFIG_SPELLING', { spelling, canonical }, { ...range(place, 'key'), path: place.path })
}

function replaceWord(tree: Tree, problems: Problems, path: Path, words: Readonly<Record<string, string>>): void {
  const found = holderOf(tree.root, path)
  const value = found?.holder[found.key]
  if (found === null || typeof value !== 'string' || !Object.hasOwn(words, value)) return
  const canonical = words[value] ?? ''
  const place = tree.places.get(found.holder, found.key) ?? tree.places.root
  found.holder[found.key] = canonical
  problems.add(
    'warning',
    'KX_CONFIG_SPELLING',
    { spelling: value, canonical: canonical === '' ? '""' : canonical },
    { ...range(place), path: place.path },
  )
}

/** `loadBalancer.mode` says which of the two blocks counts; kube-vip is an internal load balancer wherever it is named. */
function resolveModes(root: RawMap, tree: Tree, problems: Problems): void {
  const balancer = valueAt(root, ['spec', 'loadBalancer'])
  if (isMap(balancer)) {
    if (balancer.mode === 'internal') delete balancer.external
    if (balancer.mode === 'external') delete balancer.internal
    if (typeof balancer.mode === 'string' || balancer.mode === null) delete balancer.mode
    dropEmpty(root, ['spec', 'loadBalancer'])
  }
  if (valueAt(root, ['spec', 'controlPlaneEndpoint', 'externalLoadBalancer']) === 'kube-vip') {
    move(tree, problems, ['spec', 'controlPlaneEndpoint', 'externalLoadBalancer'], ['spec', 'controlPlaneEndpoint', 'internalLoadbalancer'])
  }
}

function respellExtra(tree: Tree, problems: Problems): void {
  const extra = valueAt(tree.root, ['spec', 'extra'])
  if (!isMap(extra)) return
  if (Array.isArray(extra.hosts)) respellEntries(tree, problems, extra, 'hosts', '{ip, hostnames}', '{domain, address}', hostEntries)
  const { resolves } = extra
  if (Array.isArray(resolves)) {
    respellEntries(tree, problems, extra, 'resolves', 'an address', '{address}', (entry) =>
      typeof entry === 'string' ? [{ address: entry }] : [entry],
    )
  } else if (isMap(resolves)) {
    const place = tree.places.get(extra, 'resolves') ?? tree.places.root
    const servers = resolves.nameservers
    for (const name of ['searches', 'options'])
      if (resolves[name] !== undefined) adopt(tree, extra, name, resolves[name], tree.places.get(resolves, name) ?? place)
    const list = (Array.isArray(servers) ? servers : servers === undefined ? [] : [servers]).map((address: unknown) => ({ address }))
    adopt(tree, extra, 'resolves', list, place)
    for (const [index, entry] of list.entries()) {
      tree.places.set(list, index, place)
      tree.places.set(entry, 'address', place)
    }
    problems.add(
      'warning',
      'KX_CONFIG_SPELLING',
      { spelling: 'extra.resolves.nameservers', canonical: 'extra.resolves[].address' },
      { ...range(place, 'key'), path: place.path },
    )
  }
}

function respellEntries(
  tree: Tree,
  problems: Problems,
  holder: RawMap,
  key: string,
  spelling: string,
  canonical: string,
  entriesOf: (entry: unknown) => readonly unknown[],
): void {
  const old = holder[key] as unknown[]
  const made: unknown[] = []
  let changed: Place | null = null
  for (const [index, entry] of old.entries()) {
    const place = tree.places.get(old, index) ?? tree.places.root
    for (const one of entriesOf(entry)) {
      if (one !== entry) changed ??= place
      if (one !== entry && isMap(one)) for (const name of Object.keys(one)) tree.places.set(one, name, place)
      tree.places.set(made, made.length, place)
      made.push(one)
    }
  }
  if (changed === null) return
  holder[key] = made
  problems.add(
    'warning',
    'KX_CONFIG_SPELLING',
    { spelling: `extra.${key}: ${spelling}`, canonical: `extra.${key}: ${canonical}` },
    { ...range(changed), path: changed.path },
  )
}

/** `sources: [{namespace, chart, yaml}]` of an addon: the first becomes the addon, each further one an addon of its own. */
function respellAddons(tree: Tree, problems: Problems): void {
  const addons = valueAt(tree.root, ['spec', 'addons'])
  if (!Array.isArray(addons)) return
  for (const [index, addon] of addons.entries()) {
    const sources = isMap(addon) ? [addon.sources].flat() : []
    if (!isMap(addon) || sources.length === 0 || !sources.every(isMap)) continue
    const place = tree.places.get(addon, 'sources') ?? tree.places.root
    const [first, ...others] = sources
    delete addon.sources
    for (const [name, value] of Object.entries(first ?? {})) adopt(tree, addon, name, value, tree.places.get(first ?? {}, name) ?? place)
    for (const [i, other] of others.entries()) {
      const extra: RawMap = { ...other, name: `${String(addon.name)}-${i + 2}` }
      for (const name of Object.keys(extra)) tree.places.set(extra, name, tree.places.get(other, name) ?? place)
      tree.places.set(addons, addons.length, place)
      addons.push(extra)
    }
    problems.add(
      'warning',
      'KX_CONFIG_SPELLING',
      { spelling: `addons[${index}].sources`, canonical: `addons[${index}].chart or .yaml` },
      { ...range(place, 'key'), path: place.path },
    )
  }
}

function holderOf(root: unknown, path: Path): { readonly holder: RawMap; readonly key: string } | null {
  const holder = valueAt(root, path.slice(0, -1))
  const key = String(path.at(-1))
  return isMap(holder) && Object.hasOwn(holder, key) ? { holder, key } : null
}

function makeHolder(tree: Tree, path: Path, place: Place): RawMap | null {
  let holder = tree.root
  for (const key of path) {
    if (!isMap(holder)) return null
    const next = holder[key]
    if (next === undefined || next === null) adopt(tree, holder, String(key), {}, place)
    holder = holder[key]
  }
  return isMap(holder) ? holder : null
}

/** A group whose last field moved away must not be reported as unknown itself. */
function dropEmpty(root: unknown, path: Path): void {
  const found = path.length > 1 ? holderOf(root, path) : null
  const value = found?.holder[found.key]
  if (found === null || !isMap(value) || Object.keys(value).length > 0) return
  delete found.holder[found.key]
  dropEmpty(root, path.slice(0, -1))
}

function adopt(tree: Tree, holder: RawMap, key: string, value: unknown, place: Place): void {
  holder[key] = value
  tree.places.set(holder, key, place)
}

const range = (place: Place, what: 'key' | 'value' = 'value') => {
  const [start, end] = what === 'key' ? (place.key ?? place.value) : place.value
  return { start, end }
}
const sameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const show = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '').slice(0, 60))
