import type { FileState, Probe, StateOf, UnitState } from '../runner/index.ts'
import { hostPaths } from '../runner/index.ts'
import { sha256 } from '../util/hash.ts'
import { readBlock } from './block.ts'
import { readText } from './files.ts'
import { hasModule, normalModule, sysctlOf } from './kernel.ts'
import type { HostState } from './state.ts'
import { configuredSelinux, firewallOf, timezoneOf } from './system.ts'
import { entryAt } from './tree.ts'
import { enabledState, unitName } from './unit-lookup.ts'
import { activeState } from './units.ts'

type Answers = {
  readonly [K in Exclude<Probe['kind'], 'command'>]: (
    state: HostState,
    probe: Extract<Probe, { kind: K }>,
  ) => StateOf<Extract<Probe, { kind: K }>>
}

const answers: Answers = {
  file: (state, { path }) => fileState(state, path),
  unpacked: (state, { mark, sha256, paths }) => {
    const replaced = readText(state, mark)?.trim() || null
    const whole = replaced === sha256 && paths.every((path) => entryAt(state.root, path) !== null)
    return whole ? { whole, replaced: null, files: [] } : { whole, replaced, files: paths.map((path) => fileState(state, path)) }
  },
  block: (state, { path, begin, end }) => readBlock(state, path, { begin, end }),
  unit: (state, { name, files }) => unitState(state, name, files),
  package: (state, { name }) => {
    const installed = state.packages.get(name)
    return { version: installed?.version ?? null, held: installed?.held ?? false }
  },
  packages: (state, { names }) => ({ missing: names.filter((name) => !state.packages.has(name)) }),
  user: (state, { name }) => state.users.get(name) ?? null,
  group: (state, { name }) => {
    const gid = state.groups.get(name)
    return gid === undefined ? null : { gid }
  },
  sysctl: (state, { key }) => sysctlOf(state, key) ?? { value: null, writable: false },
  module: (state, { name }) => ({ present: hasModule(state, name), builtin: state.machine.os.builtinModules.includes(normalModule(name)) }),
  swap: (state) => ({ active: state.swap }),
  selinux: (state) => ({ mode: state.selinux, configured: configuredSelinux(state) }),
  firewall: (state) => firewallOf(state),
  hostname: (state) => ({ current: state.hostname, configured: (readText(state, '/etc/hostname') ?? '').trim() }),
  timezone: (state) => ({ name: timezoneOf(state) }),
  mount: (state, { path }) => state.mounts.get(path) ?? null,
}

/** The answer to any probe but a command, which the shell gives. */
export function answer(state: HostState, probe: Exclude<Probe, { kind: 'command' }>): StateOf<Probe> {
  // The table has one row per kind; the compiler cannot follow that a row is only given its own kind of probe.
  return (answers[probe.kind] as (state: HostState, probe: Probe) => StateOf<Probe>)(state, probe)
}

function fileState(state: HostState, path: string): FileState {
  const entry = entryAt(state.root, path, false)
  if (entry === null) return { type: 'absent', existing: deepestDirectory(state, path) }
  if (entry.type === 'file')
    return { type: 'file', sha256: entry.content.sha256, mode: entry.mode, owner: entry.owner, size: entry.content.size }
  if (entry.type === 'directory') return { type: 'directory', mode: entry.mode, owner: entry.owner, empty: entry.children.size === 0 }
  return entry.type === 'link' ? { type: 'link', target: entry.target, owner: entry.owner } : { type: 'other' }
}

/** By the names as they are written: a link to a directory does not count as one. */
function deepestDirectory(state: HostState, path: string): string {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const parent = path.slice(0, at)
    if (entryAt(state.root, parent, false)?.type === 'directory') return parent
  }
  return '/'
}

function unitState(state: HostState, name: string, files: readonly string[] | undefined): UnitState {
  const current = files === undefined ? null : readText(state, currentPath(name)) === filesHash(state, files)
  return { active: activeState(state, name), enabled: enabledState(state, name), current }
}

/** Where the hash of a unit's files is kept. */
export const currentPath = (unit: string): string => `${hostPaths.current}/${unitName(unit)}`

/** One hash over files as they are now; a missing one counts as such. */
export const filesHash = (state: HostState, files: readonly string[]): string =>
  `${sha256(
    [...files]
      .sort()
      .map((path) => {
        const entry = entryAt(state.root, path)
        return `${path} ${entry?.type === 'file' ? entry.content.sha256 : 'absent'}`
      })
      .join('\n'),
  )}\n`
