import type { Runner, UnitState } from '../../runner/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { eventually } from '../../util/eventually.ts'
import type { Json } from '../../util/json.ts'
import { minutes, seconds } from '../../util/time.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { writeFile } from './file.ts'

const isOn = (state: UnitState): boolean => state.active === 'active' || state.active === 'activating'

/** A failed unit is not a stopped one: systemd remembers it even when its file is gone. */
const lifeOf = (state: UnitState): 'on' | 'failed' | 'off' => (isOn(state) ? 'on' : state.active === 'failed' ? 'failed' : 'off')
const isEnabled = (state: UnitState): boolean => state.enabled === 'enabled'

const isGone = (now: Json): boolean => (now as UnitState).enabled === 'not-found' && !isOn(now as UnitState)

/** Stopped is stopped, whether it once failed or not. */
function holdsAsWanted(desired: Json, now: Json): boolean {
  const { active, enabled } = desired as { readonly active?: 'active' | 'inactive'; readonly enabled?: 'enabled' }
  const state = now as UnitState
  if (enabled !== undefined && !isEnabled(state)) return false
  return active === undefined || (active === 'active' ? state.active === 'active' : !isOn(state))
}

const serviceKind: Kind<UnitState> = {
  name: 'service',
  probe: (unit) => ({ kind: 'unit', name: unit }),
  undo: async (on, unit, before) => {
    const [now] = await on.inspect([{ kind: 'unit', name: unit }])
    if (lifeOf(now) !== 'off' && lifeOf(before) === 'off') await on.services.stop(unit)
    if (isEnabled(now) && !isEnabled(before)) await on.services.disable(unit)
    if (isEnabled(before) && !isEnabled(now)) await on.services.enable(unit)
    if (isOn(before) && !isOn(now)) await on.services.start(unit)
    if (before.current !== true) await on.services.forgetCurrent(unit)
  },
  isBack: (before, now) => lifeOf(before) === lifeOf(now as UnitState) && isEnabled(before) === isEnabled(now as UnitState),
  holds: holdsAsWanted,
  // The unit of a package goes with the package, whatever it was before.
  isLeft: (before, now) => !isGone(now) && !serviceKind.isBack(before, now),
}

/** A service that ran before us with files of its own: undone last, after those files are back. */
const reconfiguredKind: Kind<UnitState> = {
  name: 'reconfigured-service',
  probe: () => null,
  undo: async (on, unit, before) => {
    if (!isOn(before)) return
    await on.services.reloadUnits()
    await on.services.restart(unit)
  },
  isBack: () => true,
}

/** The same service as it runs with our files. It is not started here when it is undone: with files it may have failed with, it would fail again. */
const configuredKind: Kind<UnitState> = {
  name: 'configured-service',
  probe: serviceKind.probe,
  undo: async (on, unit, before) => {
    const [now] = await on.inspect([{ kind: 'unit', name: unit }])
    if (lifeOf(now) !== 'off' && !isOn(before)) await on.services.stop(unit)
    if (isEnabled(now) && !isEnabled(before)) await on.services.disable(unit)
    if (isEnabled(before) && !isEnabled(now)) await on.services.enable(unit)
    if (before.current !== true) await on.services.forgetCurrent(unit)
  },
  isBack: (before, now) => (isOn(before) || lifeOf(now as UnitState) === 'off') && isEnabled(before) === isEnabled(now as UnitState),
  holds: holdsAsWanted,
  isLeft: (before, now) => !isGone(now) && !configuredKind.isBack(before, now),
}

interface Service {
  readonly unit: string
  /** The files it runs with: when one of them is newer than the last start, the service is restarted. */
  readonly files: readonly string[]
  readonly enabled?: boolean
}

/**
 * Keeps a service enabled and running with its files as they are now.
 * Whether it runs with the current files is remembered on the host, so a run killed between writing a file and restarting is not forgotten.
 */
export const runService = (service: Service): Op => running(service, serviceKind)

function running({ unit, files, enabled = true }: Service, kind: Kind<UnitState>): Op {
  return defineOp({
    kind,
    id: unit,
    does: `run ${unit}`,
    lock: 'units',
    probe: { kind: 'unit', name: unit, files },
    desired: { active: 'active' },
    isDone: (state) => state.active === 'active' && state.current === true && (!enabled || isEnabled(state)),
    capture: (state) => state,
    apply: async (on, _ctx, state) => {
      await on.services.reloadUnits()
      if (enabled && !isEnabled(state)) await on.services.enable(unit)
      await (isOn(state) ? on.services.restart(unit) : on.services.start(unit))
      await on.services.markCurrent(unit, files)
    },
  })
}

/**
 * Sees to it that a service is enabled and on its way up, without waiting for it: for programs that are ready only when others of their
 * kind run too, on other hosts. One that is up stays as it is; if its files have changed since, `refreshService` is for it.
 */
export function launchService({ unit, files }: Omit<Service, 'enabled'>): Op {
  return defineOp({
    kind: serviceKind,
    id: unit,
    does: `start ${unit}`,
    lock: 'units',
    probe: { kind: 'unit', name: unit, files },
    desired: { active: 'active' },
    // One that tries in vain to come up loses nothing by trying with what is there now.
    isDone: (state) => isEnabled(state) && (state.active === 'active' || (isOn(state) && state.current === true)),
    capture: (state) => state,
    apply: async (on, ctx, state) => {
      await on.services.reloadUnits()
      if (!isEnabled(state)) await on.services.enable(unit)
      if (state.active === 'active') return
      await (isOn(state) ? on.services.restart(unit, { wait: false }) : on.services.start(unit, { wait: false }))
      await takenUp(on, ctx, unit)
      await on.services.markCurrent(unit, files)
    },
  })
}

/** A start that nobody waits for may have to wait itself, for the network for instance: until then the unit looks as if nothing was to be. */
async function takenUp(on: Runner, { clock, signal }: StepContext, unit: string): Promise<void> {
  const isTakenUp = async (): Promise<true | null> =>
    (await on.inspect([{ kind: 'unit', name: unit }]))[0].active === 'inactive' ? null : true
  await eventually(isTakenUp, { every: seconds(0.1), within: minutes(2), signal, clock })
}

/**
 * Restarts a service that runs with older files than are there now. When this is over the old one is gone, so that whoever answers from
 * now on is the new one; it is not waited for.
 */
export function refreshService({ unit, files }: Omit<Service, 'enabled'>): Op {
  return defineOp({
    kind: serviceKind,
    id: unit,
    does: `restart ${unit}`,
    lock: 'units',
    probe: { kind: 'unit', name: unit, files },
    // Nothing comes to be by it that was not there before.
    transient: true,
    isDone: (state) => state.current === true,
    capture: (state) => state,
    apply: async (on, ctx) => {
      await on.services.reloadUnits()
      await on.services.stop(unit)
      await on.services.start(unit, { wait: false })
      await takenUp(on, ctx, unit)
      await on.services.markCurrent(unit, files)
    },
  })
}

interface Reconfiguration {
  readonly unit: string
  readonly files: readonly Op[]
  /** The files among whatever else is done before the service runs, in order. By default the files alone. */
  readonly along?: readonly Op[]
}

/**
 * Gives a service that may have run before other files. Undone in the order: stop or keep, files back, restart with the old files.
 */
export function reconfigureService({ unit, files, along = files }: Reconfiguration): readonly Op[] {
  const paths = files.map((file) => file.id)
  const lastUndone = defineOp({
    kind: reconfiguredKind,
    id: unit,
    does: `take over ${unit}`,
    probe: { kind: 'unit', name: unit, files: paths },
    isDone: (state) => state.current === true,
    capture: (state) => state,
    apply: (on) => on.services.forgetCurrent(unit),
  })
  return [lastUndone, ...along, running({ unit, files: paths }, configuredKind)]
}

/** Leaves the start of a service to somebody else, as kubeadm starts the kubelet: it comes up at boot, and is stopped when this is undone. */
export function enableService(unit: string): Op {
  return defineOp({
    kind: serviceKind,
    id: unit,
    does: `enable ${unit}`,
    lock: 'units',
    probe: { kind: 'unit', name: unit },
    desired: { enabled: 'enabled' },
    isDone: isEnabled,
    capture: (state) => state,
    apply: async (on) => {
      await on.services.reloadUnits()
      await on.services.enable(unit)
    },
  })
}

/** Keeps a service stopped and out of the boot; a missing one counts as stopped. */
export function stopService(unit: string): Op {
  return defineOp({
    kind: serviceKind,
    id: unit,
    does: `stop ${unit}`,
    lock: 'units',
    probe: { kind: 'unit', name: unit },
    desired: { active: 'inactive' },
    isDone: (state) => !isOn(state) && !isEnabled(state),
    capture: (state) => state,
    apply: async (on, _ctx, state) => {
      if (isOn(state)) await on.services.stop(unit)
      if (isEnabled(state)) await on.services.disable(unit)
    },
  })
}

const unitPath = (name: string): string => `/etc/systemd/system/${name}`

/** A unit file and the service it describes: written, enabled, running; restarted when the unit or one of its files changed. */
export function installUnit(unit: { readonly name: string; readonly content: string; readonly files?: readonly string[] }): readonly Op[] {
  const path = unitPath(unit.name)
  return [writeFile({ path, content: unit.content }), runService({ unit: unit.name, files: [path, ...(unit.files ?? [])] })]
}

export const serviceKinds: readonly Kind<never>[] = [serviceKind, reconfiguredKind, configuredKind]
