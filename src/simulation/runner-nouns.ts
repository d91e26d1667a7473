import { hostPaths, type Kernel, type Packages, type Services, type System, type Users } from '../runner/index.ts'
import { type AsError, commandError, moduleError, packageError, serviceError, sysctlError, timezoneError } from './as-error.ts'
import { Content } from './content.ts'
import { makeDirectory, removePath, writeFile } from './files.ts'
import type { Binding, HostAccess } from './host-access.ts'
import { currentPath, filesHash } from './inspect.ts'
import { loadModule, normalModule, setSysctl, sysctlOf, unloadModule } from './kernel.ts'
import { installPackages, installPackagesFrom, removePackages } from './packages.ts'
import type { HostState } from './state.ts'
import { setFirewall, setHostname, setSelinux, setTimezone, swapOff, swapOn } from './system.ts'
import { entryAt } from './tree.ts'
import { findUnitFile, unitName } from './unit-lookup.ts'
import { disableUnit, enableUnit, reloadUnits, resetFailed, restartUnit, startAndWait, startWithoutWaiting, stopUnit } from './units.ts'
import { addGroup, addUser, removeGroup, removeUser } from './users.ts'

type Make = (state: HostState) => HostState
type Changing = (what: string, target: string, asError: AsError, make: Make) => Promise<void>

const changing =
  (host: HostAccess, binding: Binding): Changing =>
  (what, target, asError, make) =>
    host.change({ what, target, bytes: 0 }, binding, asError, make)

/** Units of a simulated host. */
export function servicesOf(host: HostAccess, binding: Binding): Services {
  const change = changing(host, binding)
  const unitChange = (action: string, unit: string, make: Make): Promise<void> =>
    change(`services.${action}`, unit, serviceError(action, unit), make)
  return {
    reloadUnits: () => change('services.reloadUnits', '', commandError('systemctl daemon-reload'), reloadUnits),
    enable: (unit) => unitChange('enable', unit, (state) => enableUnit(state, unit)),
    disable: (unit) => unitChange('disable', unit, (state) => (isGone(state, unit) ? state : disableUnit(state, unit))),
    start: (unit, { wait = true } = {}) => unitChange('start', unit, (state) => (wait ? startAndWait : startWithoutWaiting)(state, unit)),
    // A unit that had failed is forgotten with its stop, so that what was never there before is not there afterwards.
    stop: (unit) => unitChange('stop', unit, (state) => (isGone(state, unit) ? state : resetFailed(stopUnit(state, unit), unit))),
    restart: (unit, { wait = true } = {}) =>
      unitChange('restart', unit, (state) => restartUnit(state, unit, wait ? startAndWait : startWithoutWaiting)),
    markCurrent: (unit, files) =>
      unitChange('markCurrent', unit, (state) =>
        writeFile(ownDirectories(state), currentPath(unit), new Content(filesHash(state, files)), { mode: '0600' }),
      ),
    forgetCurrent: (unit) => unitChange('forgetCurrent', unit, (state) => removePath(state, currentPath(unit), false)),
  }
}

/** What is gone needs no stopping. */
const isGone = (state: HostState, unit: string): boolean => findUnitFile(state, unitName(unit)) === null && !state.units.has(unitName(unit))

/** What kubexm keeps is for root alone. */
const ownDirectories = (state: HostState): HostState =>
  [hostPaths.root, hostPaths.current].reduce(
    (next, path) => (entryAt(next.root, path) === null ? makeDirectory(next, path, { mode: '0700' }) : next),
    state,
  )

/** Packages of a simulated host. */
export function packagesOf(host: HostAccess, binding: Binding): Packages {
  const change = changing(host, binding)
  const packageChange = async (call: string, action: string, names: readonly string[], make: Make): Promise<void> => {
    if (names.length > 0) await change(`packages.${call}`, names.join(' '), packageError(action, names), make)
  }
  return {
    install: (names) => packageChange('install', 'installing', names, (state) => installPackages(state, names)),
    installFrom: (directory, names) =>
      packageChange('installFrom', 'installing', names, (state) => installPackagesFrom(state, directory, names)),
    remove: (names, { keepConfig = false } = {}) =>
      packageChange('remove', 'removing', names, (state) => removePackages(state, names, keepConfig)),
  }
}

/** Users and groups of a simulated host: what is there already stays as it is, what is gone already is no error. */
export function usersOf(host: HostAccess, binding: Binding): Users {
  const change = changing(host, binding)
  return {
    add: (user) =>
      change('users.add', user.name, commandError(`useradd ${user.name}`), (state) =>
        state.users.has(user.name) ? state : addUser(state, user),
      ),
    remove: (name) =>
      change('users.remove', name, commandError(`userdel ${name}`), (state) => (state.users.has(name) ? removeUser(state, name) : state)),
    addGroup: (name) =>
      change('users.addGroup', name, commandError(`groupadd ${name}`), (state) => (state.groups.has(name) ? state : addGroup(state, name))),
    removeGroup: (name) =>
      change('users.removeGroup', name, commandError(`groupdel ${name}`), (state) =>
        state.groups.has(name) ? removeGroup(state, name) : state,
      ),
  }
}

/** The kernel of a simulated host. */
export function kernelOf(host: HostAccess, binding: Binding): Kernel {
  const change = changing(host, binding)
  const { kernel } = host.state.machine.os
  return {
    setSysctl: (key, value) => {
      const asError: AsError = (refusal, name) => sysctlError(key, value, sysctlOf(host.state, key)?.value ?? null)(refusal, name)
      return change('kernel.setSysctl', key, asError, (state) => setSysctl(state, key, value))
    },
    loadModule: (name) => change('kernel.loadModule', name, moduleError(name, kernel), (state) => loadModule(state, name)),
    // What is built in cannot be unloaded, and what is not loaded need not be.
    unloadModule: (name) =>
      change('kernel.unloadModule', name, commandError(`modprobe -r ${name}`), (state) =>
        state.modules.has(normalModule(name)) ? unloadModule(state, name) : state,
      ),
  }
}

/** The rest of a simulated host. */
export function systemOf(host: HostAccess, binding: Binding): System {
  const change = changing(host, binding)
  return {
    setHostname: (name) =>
      change('system.setHostname', name, commandError(`hostnamectl set-hostname ${name}`), (state) => setHostname(state, name)),
    setTimezone: (name) => change('system.setTimezone', name, timezoneError(name), (state) => setTimezone(state, name)),
    swapOff: () => change('system.swapOff', '', commandError('swapoff -a'), swapOff),
    swapOn: async (areas) => {
      const inactive = (state: HostState): readonly string[] => areas.filter((area) => !state.swap.includes(area))
      if (areas.length > 0)
        await change('system.swapOn', areas.join(' '), commandError(`swapon ${areas.join(' ')}`), (state) => swapOn(state, inactive(state)))
    },
    setSelinux: (mode) => change('system.setSelinux', mode, commandError(`setenforce ${mode}`), (state) => setSelinux(state, mode)),
    setFirewall: (tool, wanted) => change('system.setFirewall', tool, commandError(tool), (state) => setFirewall(state, tool, wanted)),
  }
}
