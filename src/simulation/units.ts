import { listNames, makeLink, removePath } from './files.ts'
import { attempt, Refusal, refuse } from './refusal.ts'
import { type HostState, type Process, type UnitRecord, withKey } from './state.ts'
import { entryAt } from './tree.ts'
import type { UnitDefinition } from './unit-file.ts'
import { enablingLinks, findUnitFile, isMasked, loadUnit, unitName, wantedLinks } from './unit-lookup.ts'
import { startProcess } from './unit-process.ts'

/** The answer of `systemctl is-active`. What has failed and is tried again, and what has not said yet that it is ready, is `activating`. */
export function activeState(state: HostState, name: string): string {
  const record = state.units.get(unitName(name))
  if (record === undefined) return 'inactive'
  if (record.active === 'failed') return record.definition.restarts ? 'activating' : 'failed'
  return record.definition.type === 'notify' && record.process?.isReady?.(state) === false ? 'activating' : record.active
}

/** Reads all unit files again: what runs keeps running, what does not run is forgotten until it is asked for. */
export function reloadUnits(state: HostState): HostState {
  const units = new Map<string, UnitRecord>()
  for (const [name, record] of state.units) {
    if (record.active === 'inactive') continue
    units.set(name, { ...record, definition: loadUnit(state, name) ?? record.definition })
  }
  return { ...state, units }
}

/** Makes the links that start a unit at boot; like the real tool it reads the unit files again. */
export function enableUnit(state: HostState, name: string): HostState {
  const unit = unitName(name)
  const path = findUnitFile(state, unit)
  if (path === null) throw refuse(`Failed to enable unit: Unit file ${unit} does not exist.`)
  if (isMasked(state, path)) throw refuse(`Failed to enable unit: Unit file ${path} is masked.`)
  const definition = loadUnit(state, unit)
  if (definition === null) throw refuse(`Failed to enable unit: Unit file ${unit} does not exist.`)
  const linked = enablingLinks(unit, definition).reduce((next, link) => makeLink(next, link, definition.path), state)
  const withOthers = definition.also.filter((other) => other !== unit).reduce((next, other) => enableUnit(next, other), linked)
  return reloadUnits(withOthers)
}

/** Takes those links away again, and a `.wants` directory that is empty now. */
export function disableUnit(state: HostState, name: string): HostState {
  const unit = unitName(name)
  const definition = loadUnit(state, unit)
  const links = [...new Set([...(definition === null ? [] : enablingLinks(unit, definition)), ...wantedLinks(state, unit)])]
  const present = links.filter((link) => entryAt(state.root, link, false)?.type === 'link')
  if (definition === null && present.length === 0) throw refuse(`Failed to disable unit: Unit file ${unit} does not exist.`)
  return reloadUnits(present.reduce(removeLink, state))
}

function removeLink(state: HostState, link: string): HostState {
  const directory = link.slice(0, link.lastIndexOf('/'))
  const next = removePath(state, link, false)
  return directory !== '/etc/systemd/system' && listNames(next, directory).length === 0 ? removePath(next, directory, false) : next
}

/** Links a unit to /dev/null, or takes such a link away. */
export function maskUnit(state: HostState, name: string, masked: boolean): HostState {
  const path = `/etc/systemd/system/${unitName(name)}`
  const there = entryAt(state.root, path, false)
  if (masked) {
    if (there !== null && there.type !== 'link') throw refuse(`Failed to mask unit: File ${path} already exists.`)
    return reloadUnits(makeLink(state, path, '/dev/null'))
  }
  return there?.type === 'link' && there.target === '/dev/null' ? reloadUnits(removePath(state, path, false)) : state
}

/** Starts a unit and what it requires. A refusal leaves the unit `failed`, as the real one does. */
export function startUnit(state: HostState, name: string, chain: readonly string[] = []): HostState {
  const unit = unitName(name)
  if (chain.includes(unit)) return state
  const path = findUnitFile(state, unit)
  if (path === null) throw refuse(`Failed to start ${unit}: Unit ${unit} not found.`, 5)
  if (isMasked(state, path)) throw refuse(`Failed to start ${unit}: Unit ${unit} is masked.`)
  if (state.units.get(unit)?.active === 'active') return state
  // What is in memory wins over the file: a changed file counts only after a reload.
  const definition = state.units.get(unit)?.definition ?? loadUnit(state, unit)
  if (definition === null) throw refuse(`Failed to start ${unit}: Unit ${unit} not found.`, 5)
  if (definition.conditionPaths.some((condition) => !conditionHolds(state, condition)))
    return remember(state, unit, definition, 'inactive', null)
  const ready = startRequired(state, unit, definition, [...chain, unit])
  const cleared = definition.conflicts.reduce(
    (next, other) => (activeState(next, other) === 'active' ? stopUnit(next, other) : next),
    ready,
  )
  const started = startProcess(cleared, unit, definition)
  if ('dies' in started) {
    const left = remember(started.state, unit, definition, 'failed', null, started.dies)
    throw refuse(`Job for ${unit} failed because the control process exited with error code.\n${unit}: ${started.dies}`, 1, left)
  }
  const ends = definition.type === 'oneshot' && !definition.remainAfterExit
  return remember(started.state, unit, definition, ends ? 'inactive' : 'active', started.process)
}

/** Starts a unit and waits for it, as `systemctl start` does: one that does not become ready in time is given up. */
export function startAndWait(state: HostState, name: string): HostState {
  const started = startUnit(state, name)
  const record = started.units.get(unitName(name))
  if (record?.process?.isReady?.(started) !== false || record.definition.type !== 'notify') return started
  const left = remember(started, unitName(name), record.definition, 'failed', null, 'start operation timed out. Terminating.')
  throw refuse(`Job for ${unitName(name)} failed because a timeout was exceeded.`, 1, left)
}

/** Asks for the start of a unit without waiting for what becomes of it: only a unit that is not there is refused. */
export function startWithoutWaiting(state: HostState, name: string): HostState {
  try {
    return startUnit(state, name)
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.left !== null) return thrown.left
    throw thrown
  }
}

function startRequired(state: HostState, unit: string, definition: UnitDefinition, chain: readonly string[]): HostState {
  let next = state
  for (const other of definition.requires) {
    if (isBuiltinTarget(other)) continue
    try {
      next = startUnit(next, other, chain)
    } catch (cause) {
      throw refuse(`A dependency job for ${unit} failed: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
  return definition.wants
    .filter((other) => !isBuiltinTarget(other) && findUnitFile(next, unitName(other)) !== null)
    .reduce((so, other) => startWanted(so, other, chain), next)
}

/** A wanted unit that does not start is no obstacle. */
function startWanted(state: HostState, unit: string, chain: readonly string[]): HostState {
  const { state: next } = attempt(state, () => startUnit(state, unit, chain))
  return next
}

/** Stops a unit; one that does not run is no error, one nobody knows is. */
export function stopUnit(state: HostState, name: string): HostState {
  const unit = unitName(name)
  const record = state.units.get(unit)
  if (record === undefined) {
    if (findUnitFile(state, unit) === null) throw refuse(`Failed to stop ${unit}: Unit ${unit} not loaded.`, 5)
    return state
  }
  const stopped = remember(state, unit, record.definition, record.active === 'failed' ? 'failed' : 'inactive', null)
  const dependents = [...stopped.units].filter(
    ([, other]) => other.active === 'active' && other.definition.requires.some((name) => unitName(name) === unit),
  )
  const alone = dependents.reduce((next, [other]) => stopUnit(next, other), stopped)
  return record.definition.runtimeDirectories.reduce((next, directory) => removePath(next, `/run/${directory}`, true), alone)
}

/** Stops a unit if it runs and starts it. */
export function restartUnit(state: HostState, name: string, start: typeof startAndWait = startAndWait): HostState {
  const unit = unitName(name)
  const stopped = state.units.get(unit)?.active === 'active' ? stopUnit(state, unit) : state
  return start(stopped, unit)
}

/** Forgets that a unit failed. */
export function resetFailed(state: HostState, name: string): HostState {
  const unit = unitName(name)
  const record = state.units.get(unit)
  return record?.active === 'failed' ? remember(state, unit, record.definition, 'inactive', null) : state
}

function remember(
  state: HostState,
  unit: string,
  definition: UnitDefinition,
  active: UnitRecord['active'],
  process: Process | null,
  lastWords?: string,
): HostState {
  const said = lastWords ?? state.units.get(unit)?.lastWords
  return {
    ...state,
    units: withKey(state.units, unit, { definition, active, process, ...(said === undefined ? {} : { lastWords: said }) }),
  }
}

function conditionHolds(state: HostState, condition: string): boolean {
  const negated = condition.startsWith('!')
  const present = entryAt(state.root, condition.replace(/^[|!]+/, '')) !== null
  return present !== negated
}

/** Targets and sockets of the system itself are always there. */
const isBuiltinTarget = (unit: string): boolean => /\.(target|slice|mount)$/.test(unit)
