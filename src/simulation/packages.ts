import { Content, simulatedBinary } from './content.ts'
import { listNames, makeDirectory, removePath, writeFile } from './files.ts'
import type { PackageModel } from './package-universe.ts'
import { attempt, refuse } from './refusal.ts'
import { type HostState, withKey } from './state.ts'
import { entryAt } from './tree.ts'
import { enabledState } from './unit-lookup.ts'
import { disableUnit, enableUnit, reloadUnits, resetFailed, startUnit, stopUnit } from './units.ts'
import { addUser, removeUser } from './users.ts'

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
  return installAll(state, withDependencies(state, missing), names)
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
  return installAll(state, withDependencies(state, missing), names)
}

/** Removes packages, what depends on them and what was only pulled in for them; all services stop first. Configuration goes too, so that nothing is left. */
export function removePackages(state: HostState, names: readonly string[], keepConfig = false): HostState {
  const named = withDependents(state, names)
  const orphans = orphansWithout(state, named)
  const stopped = [...named, ...orphans].reduce(stopServices, state)
  const without = named.reduce((so, name) => removeOne(so, name, keepConfig), stopped)
  return orphans.reduce((so, name) => removeOne(so, name, false), without)
}

/** Installed packages of these names, each after those that need it. */
function withDependents(state: HostState, names: readonly string[]): readonly string[] {
  const order: string[] = []
  const visit = (name: string): void => {
    if (order.includes(name) || !state.packages.has(name)) return
    for (const other of state.packages.keys()) if (state.machine.packages.get(other)?.depends.includes(name)) visit(other)
    order.push(name)
  }
  names.forEach(visit)
  return order
}

/** What nothing needs any more once these are gone: both managers are asked to take that along. */
function orphansWithout(state: HostState, gone: readonly string[]): readonly string[] {
  const left = [...state.packages].filter(([name]) => !gone.includes(name))
  const needed = new Set(left.flatMap(([name]) => state.machine.packages.get(name)?.depends ?? []))
  const orphan = left.find(([name, { auto }]) => auto && !needed.has(name))?.[0]
  return orphan === undefined ? [] : [orphan, ...orphansWithout(state, [...gone, orphan])]
}

function stopServices(state: HostState, name: string): HostState {
  return (state.machine.packages.get(name)?.services ?? []).reduce((next, { unit }) => {
    const quiet = resetFailed(stopUnit(next, unit), unit)
    return enabledState(quiet, unit) === 'enabled' ? disableUnit(quiet, unit) : quiet
  }, state)
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

/** All are unpacked before the first is set up: a service may be in another package than its program. */
function installAll(state: HostState, names: readonly string[], wanted: readonly string[]): HostState {
  const unpacked = reloadUnits(names.reduce((next, name) => unpack(next, name, !wanted.includes(name)), state))
  // Debian's packages start their services when they are installed, and do not mind when one does not start; the others leave that to the
  // administrator.
  if (!isApt(state)) return unpacked
  const services = names.flatMap((name) => state.machine.packages.get(name)?.services ?? [])
  return services.reduce((next, { unit }) => {
    const enabled = enableUnit(next, unit)
    return attempt(enabled, () => startUnit(enabled, unit)).state
  }, unpacked)
}

function unpack(state: HostState, name: string, auto: boolean): HostState {
  const model = state.machine.packages.get(name)
  if (model === undefined) throw unknownPackage(state, name)
  const installed = putFiles(state, name, model)
  return { ...installed, packages: withKey(installed.packages, name, { version: model.version, held: false, auto }) }
}

/** Puts the files of a package on a host. */
export function putFiles(state: HostState, name: string, model: PackageModel): HostState {
  const programs = model.binaries.reduce(
    (next, path) => writeFile(next, path, programContent(path, state.machine.arch), { mode: '0755' }),
    state,
  )
  const withUnits = model.services.reduce(
    (next, service) => writeFile(next, unitPath(service.unit), new Content(unitText(name, service)), { mode: '0644' }),
    programs,
  )
  const withUsers = Object.entries(model.users)
    .filter(([user]) => !state.users.has(user))
    .reduce((next, [user, home]) => addUser(next, { name: user, system: true, home }), withUnits)
  const withDirectories = model.directories
    .filter((path) => entryAt(state.root, path) === null)
    .reduce((next, path) => makeDirectory(next, path, { mode: '0755' }), withUsers)
  // A configuration file that is there already is the administrator's: apt is told to leave it, rpm puts its own beside it.
  const files = [...Object.entries(model.files), ...model.leaves.map((path) => [path, ''] as const)]
  return files.reduce((next, [path, text]) => {
    const isThere = entryAt(state.root, path) !== null
    if (isThere && (isApt(state) || entryAt(state.root, `${path}.rpmnew`) !== null)) return next
    return writeFile(next, isThere ? `${path}.rpmnew` : path, new Content(text), { mode: '0644' })
  }, withDirectories)
}

function removeOne(state: HostState, name: string, keepConfig: boolean): HostState {
  const model = state.machine.packages.get(name)
  if (model === undefined || !state.packages.has(name)) return state
  const paths = [...model.binaries, ...model.services.map(({ unit }) => unitPath(unit)), ...(keepConfig ? [] : Object.keys(model.files))]
  const cleaned = paths.reduce((next, path) => removeWithEmptyParents(next, path), state)
  const purged = keepConfig ? cleaned : purge(cleaned, model)
  const emptied = model.directories.toReversed().reduce(removeIfEmpty, purged)
  return reloadUnits({ ...emptied, packages: withKey(emptied.packages, name, undefined) })
}

/** What only apt's scripts do: rpm leaves users and the files of services where they are. */
function purge(state: HostState, { users, purges }: PackageModel): HostState {
  if (!isApt(state)) return state
  const without = purges.reduce((next, path) => removePath(next, path, true), state)
  const made = Object.keys(users).filter((user) => without.users.has(user))
  return made.reduce((next, user) => removeUser(next, user), without)
}

const removeIfEmpty = (state: HostState, path: string): HostState =>
  entryAt(state.root, path)?.type === 'directory' && listNames(state, path).length === 0 ? removePath(state, path, false) : state

/** A package's own directories go with its last file. */
function removeWithEmptyParents(state: HostState, path: string): HostState {
  const next = removePath(state, path, false)
  const parent = path.slice(0, path.lastIndexOf('/'))
  const isOwn = /^\/etc\/./.test(parent) || /^\/usr\/share\/./.test(parent)
  return isOwn && entryAt(next.root, parent) !== null && listNames(next, parent).length === 0 ? removeWithEmptyParents(next, parent) : next
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
const unitText = (name: string, { exec, needs }: PackageModel['services'][number]): string =>
  `[Unit]\nDescription=${name}\n${needs === undefined ? '' : `ConditionFileNotEmpty=${needs}\n`}\n[Service]\nExecStart=${exec}\n\n[Install]\nWantedBy=multi-user.target\n`

const contents = new Map<string, Content>()

/** One content per program and architecture, shared by all hosts. */
export function programContent(path: string, arch: string): Content {
  const key = `${arch}:${path}`
  const known = contents.get(key) ?? new Content(simulatedBinary(path.slice(path.lastIndexOf('/') + 1), arch))
  contents.set(key, known)
  return known
}
