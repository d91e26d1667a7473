import type { UnitState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { writeFile } from './file.ts'

const isOn = (state: UnitState): boolean => state.active === 'active' || state.active === 'activating'

/** A failed unit is not a stopped one: systemd remembers it even when its file is gone. */
const lifeOf = (state: UnitState): 'on' | 'failed' | 'off' => (isOn(state) ? 'on' : state.active === 'failed' ? 'failed' : 'off')
const isEnabled = (state: UnitState): boolean => state.enabled === 'enabled'

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
}

/** A service that ran before us with files of its own: undone last, after those files are back. */
const reconfiguredKind: Kind<UnitState> = {
  name: 'reconfigured-service',
  probe: () => null,
  undo: async (on, unit, before) => {
    if (isOn(before)) await on.services.restart(unit)
  },
  isBack: () => true,
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
export function runService({ unit, files, enabled = true }: Service): Op {
  return defineOp({
    kind: serviceKind,
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
 * Gives a service that may have run before other files. Undone in the order: stop or keep, files back, restart with the old files.
 */
export function reconfigureService({ unit, files }: { readonly unit: string; readonly files: readonly Op[] }): readonly Op[] {
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
  return [lastUndone, ...files, runService({ unit, files: paths })]
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

export const serviceKinds: readonly Kind<never>[] = [serviceKind, reconfiguredKind]
