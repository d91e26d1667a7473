import { Content, simulatedBinary } from './content.ts'
import { listNames, removePath, writeFile } from './files.ts'
import type { PackageModel } from './package-universe.ts'
import { refuse } from './refusal.ts'
import { type HostState, withKey } from './state.ts'
import { entryAt } from './tree.ts'
import { enabledState } from './unit-lookup.ts'
import { disableUnit, enableUnit, reloadUnits, resetFailed, startUnit, stopUnit } from './units.ts'

const isApt = (state: HostState): boolean => state.machine.os.packageManager === 'apt'

/** Installs from the repositories, dependencies included; what is installed already stays as it is. */
export function installPackages(state: HostState, names: readonly string[]): HostState {
  const missing = names.filter((name) => !state.packages.has(name))
  if (missing.length === 0) return state
  if (!state.internet) {
    if (isApt(state)) throw refuse('E: Failed to fetch http://mirror.example/debian/pool: Could not resolve host', 100)
    throw refuse("Error: Failed to download metadata for repo 'baseos': Cannot prepare internal mirrorlist: Could not resolve host")
  }
  for (const name of missing) if (!state.machine.packages.has(name)) throw unknownPackage(state, name)
  return withDependencies(state, missing).reduce((next, name) => installOne(next, name, !names.includes(name)), state)
}

/** Installs from package files in a directory of the host; nothing is fetched. */
export function installPackagesFrom(state: HostState, directory: string, names: readonly string[]): HostState {
  const missing = names.filter((name) => !state.packages.has(name))
  const files = listNames(state, directory)
  for (const name of withDependencies(state, missing)) {
    const file = files.find((candidate) => packageOfFile(candidate)?.name === name)
    if (file === undefined) throw refuse(`no package file of ${name} in ${directory}`, isApt(state) ? 100 : 1)
    const arch = packageOfFile(file)?.arch ?? 'all'
    if (!fitsArch(arch, state.machine.arch))
      throw refuse(`package architecture (${arch}) of ${file} does not match system (${state.machine.arch})`, 1)
  }
  return withDependencies(state, missing).reduce((next, name) => installOne(next, name, !names.includes(name)), state)
}

/** Removes packages and what depends on them, stopping their services first. Configuration goes too, so that nothing is left. */
export function removePackages(state: HostState, names: readonly string[], keepConfig = false): HostState {
  let next = names.filter((name) => state.packages.has(name)).reduce((so, name) => removeOne(so, name, keepConfig), state)
  // Both managers are asked to take what was only pulled in for these.
  for (let orphan = findOrphan(next); orphan !== null; orphan = findOrphan(next)) next = removeOne(next, orphan, false)
  return next
}

const unknownPackage = (state: HostState, name: string) =>
  isApt(state) ? refuse(`E: Unable to locate package ${name}`, 100) : refuse(`Error: Unable to find a match: ${name}`)

function withDependencies(state: HostState, names: readonly string[]): readonly string[] {
  const order: string[] = []
  const visit = (name: string): void => {
    if (order.includes(name) || state.packages.has(name)) return
    for (const other of state.machine.packages.get(name)?.depends ?? []) visit(other)
    order.push(name)
  }
  names.forEach(visit)
  return order
}

function installOne(state: HostState, name: string, auto: boolean): HostState {
  const model = state.machine.packages.get(name)
  if (model === undefined) throw unknownPackage(state, name)
  const installed = putFiles(state, name, model)
  const recorded = { ...installed, packages: withKey(installed.packages, name, { version: model.version, held: false, auto }) }
  // Debian's packages start their services when they are installed; the others leave that to the administrator.
  return isApt(state)
    ? model.services.reduce((next, { unit }) => startUnit(enableUnit(next, unit), unit), reloadUnits(recorded))
    : reloadUnits(recorded)
}

/** Puts the files of a package on a host. */
export function putFiles(state: HostState, name: string, model: PackageModel): HostState {
  const programs = model.binaries.reduce(
    (next, path) => writeFile(next, path, programContent(path, state.machine.arch), { mode: '0755' }),
    state,
  )
  const withUnits = model.services.reduce(
    (next, { unit, exec }) => writeFile(next, unitPath(unit), new Content(unitText(name, exec)), { mode: '0644' }),
    programs,
  )
  // A configuration file that is there already is the administrator's.
  const fresh = Object.entries(model.files).filter(([path]) => entryAt(state.root, path) === null)
  return fresh.reduce((next, [path, text]) => writeFile(next, path, new Content(text), { mode: '0644' }), withUnits)
}

function removeOne(state: HostState, name: string, keepConfig: boolean): HostState {
  const model = state.machine.packages.get(name)
  if (model === undefined || !state.packages.has(name)) return state
  const dependents = [...state.packages.keys()].filter((other) => state.machine.packages.get(other)?.depends.includes(name))
  const alone = dependents.reduce((next, other) => removeOne(next, other, keepConfig), state)
  const stopped = model.services.reduce((next, { unit }) => {
    const quiet = resetFailed(stopUnit(next, unit), unit)
    return enabledState(quiet, unit) === 'enabled' ? disableUnit(quiet, unit) : quiet
  }, alone)
  const paths = [...model.binaries, ...model.services.map(({ unit }) => unitPath(unit)), ...(keepConfig ? [] : Object.keys(model.files))]
  const cleaned = paths.reduce((next, path) => removeWithEmptyParents(next, path), stopped)
  return reloadUnits({ ...cleaned, packages: withKey(cleaned.packages, name, undefined) })
}

/** A package's own directory goes with its last file. */
function removeWithEmptyParents(state: HostState, path: string): HostState {
  const next = removePath(state, path, false)
  const parent = path.slice(0, path.lastIndexOf('/'))
  const depth = parent.split('/').length
  return parent.startsWith('/etc/') && depth > 2 && listNames(next, parent).length === 0 ? removePath(next, parent, false) : next
}

function findOrphan(state: HostState): string | null {
  const needed = new Set([...state.packages.keys()].flatMap((name) => state.machine.packages.get(name)?.depends ?? []))
  for (const [name, { auto }] of state.packages) if (auto && !needed.has(name)) return name
  return null
}

/** `socat_1.7.4-1_amd64.deb` and `socat-1.7.4-1.el9.x86_64.rpm` name a package and its architecture. */
export function packageOfFile(file: string): { readonly name: string; readonly arch: string } | null {
  const deb = /^([^_]+)_[^_]+_([^_]+)\.deb$/.exec(file)
  if (deb?.[1] !== undefined && deb[2] !== undefined) return { name: deb[1], arch: deb[2] }
  const rpm = /^(.+)-[^-]+-[^-]+\.([^.]+)\.rpm$/.exec(file)
  return rpm?.[1] !== undefined && rpm[2] !== undefined ? { name: rpm[1], arch: rpm[2] } : null
}

const rpmArch: Readonly<Record<string, string>> = { amd64: 'x86_64', arm64: 'aarch64' }
const fitsArch = (arch: string, host: string): boolean => arch === 'all' || arch === 'noarch' || arch === host || arch === rpmArch[host]

const unitPath = (unit: string): string => `/usr/lib/systemd/system/${unit}`
const unitText = (name: string, exec: string): string =>
  `[Unit]\nDescription=${name}\n\n[Service]\nExecStart=${exec}\n\n[Install]\nWantedBy=multi-user.target\n`

const contents = new Map<string, Content>()

/** One content per program and architecture, shared by all hosts. */
export function programContent(path: string, arch: string): Content {
  const key = `${arch}:${path}`
  const known = contents.get(key) ?? new Content(simulatedBinary(path.slice(path.lastIndexOf('/') + 1), arch))
  contents.set(key, known)
  return known
}
