import { listNames, readText } from './files.ts'
import type { HostState } from './state.ts'
import { entryAt, joinNames, locate } from './tree.ts'
import { parseUnit, type UnitDefinition } from './unit-file.ts'

/** Where unit files are looked for, the first hit wins. */
export const unitDirectories = ['/etc/systemd/system', '/run/systemd/system', '/usr/lib/systemd/system'] as const

/** `etcd` is short for `etcd.service`. */
export const unitName = (name: string): string =>
  /\.(service|socket|timer|target|mount|path|slice|scope|swap)$/.test(name) ? name : `${name}.service`

const templateOf = (unit: string): string | null => {
  const match = /^([^@]+@)[^.]+(\..+)$/.exec(unit)
  return match === null ? null : `${match[1]}${match[2]}`
}

/** The path of a unit's file, an instance's template included; null where there is none. A mask is a link to /dev/null. */
export function findUnitFile(state: HostState, unit: string): string | null {
  for (const name of [unit, templateOf(unit)]) {
    if (name === null) continue
    for (const directory of unitDirectories) {
      const path = `${directory}/${name}`
      if (entryAt(state.root, path, false) !== null) return path
    }
  }
  return null
}

/** Whether the unit's file is a mask, or empty, which is the same. */
export function isMasked(state: HostState, path: string): boolean {
  const place = locate(state.root, path)
  return joinNames(place.names) === '/dev/null' || (place.entry?.type === 'file' && place.entry.content.size === 0)
}

/** Reads a unit from its file and its drop-ins, as the service manager does when it loads it. */
export function loadUnit(state: HostState, unit: string): UnitDefinition | null {
  const path = findUnitFile(state, unit)
  if (path === null || isMasked(state, path)) return null
  const place = locate(state.root, path)
  if (place.entry?.type !== 'file') return null
  return parseUnit(joinNames(place.names), unit, [place.entry.content.text(), ...dropIns(state, unit)])
}

function dropIns(state: HostState, unit: string): readonly string[] {
  const directories = [unit, templateOf(unit)].flatMap((name) =>
    name === null ? [] : unitDirectories.map((directory) => `${directory}/${name}.d`),
  )
  const files = directories.flatMap((directory) => listNames(state, directory).map((name) => ({ name, path: `${directory}/${name}` })))
  return files
    .filter(({ name }) => name.endsWith('.conf'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ path }) => readText(state, path) ?? [])
}

/** The answer of `systemctl is-enabled`. */
export function enabledState(state: HostState, name: string): string {
  const unit = unitName(name)
  const path = findUnitFile(state, unit)
  if (path === null) return 'not-found'
  if (isMasked(state, path)) return 'masked'
  const definition = loadUnit(state, unit)
  // A link that dangles is a unit that is not there.
  if (definition === null) return 'not-found'
  if (enablingLinks(unit, definition).some((link) => entryAt(state.root, link, false) !== null)) return 'enabled'
  if (wantedLinks(state, unit).length > 0) return 'enabled'
  return hasInstall(definition) ? 'disabled' : 'static'
}

/** The links that enabling a unit makes. */
export function enablingLinks(unit: string, definition: UnitDefinition): readonly string[] {
  const at = (target: string, kind: string): string => `/etc/systemd/system/${target}.${kind}/${unit}`
  return [
    ...definition.wantedBy.map((target) => at(target, 'wants')),
    ...definition.requiredBy.map((target) => at(target, 'requires')),
    ...definition.alias.map((alias) => `/etc/systemd/system/${alias}`),
  ]
}

/** Every link in a `.wants` or `.requires` directory that names the unit, wherever its file says it belongs. */
export function wantedLinks(state: HostState, unit: string): readonly string[] {
  const directories = listNames(state, '/etc/systemd/system').filter((name) => name.endsWith('.wants') || name.endsWith('.requires'))
  return directories.map((name) => `/etc/systemd/system/${name}/${unit}`).filter((path) => entryAt(state.root, path, false) !== null)
}

/** The units that come up at boot. */
export function unitsAtBoot(state: HostState): readonly string[] {
  const directories = listNames(state, '/etc/systemd/system').filter(
    (name) => name.endsWith('.target.wants') || name.endsWith('.target.requires'),
  )
  return [...new Set(directories.flatMap((name) => listNames(state, `/etc/systemd/system/${name}`)))].sort()
}

export const hasInstall = (definition: UnitDefinition): boolean =>
  definition.wantedBy.length + definition.requiredBy.length + definition.alias.length + definition.also.length > 0
