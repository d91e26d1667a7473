import type { DirectoryEntry } from './entry.ts'
import { put, readText } from './files.ts'
import { bootKernel, linesOf } from './kernel.ts'
import { attempt } from './refusal.ts'
import type { HostState, Mount } from './state.ts'
import { configuredSelinux, swapAtBoot, ufwAtBoot } from './system.ts'
import { emptyDirectory, entryAt } from './tree.ts'
import { unitsAtBoot } from './unit-lookup.ts'
import { startUnit } from './units.ts'

/** The host after a restart: only what files say holds; /run, loaded modules, set sysctls and running programs are gone. */
export function bootHost(state: HostState): HostState {
  const off: HostState = {
    ...state,
    units: new Map(),
    processes: [],
    traces: new Set(),
    mounts: mountsAtBoot(state),
    ufwActive: ufwAtBoot(state),
  }
  const cleared = put(off, ['run'], emptyRun(state))
  const kernel = bootKernel(cleared)
  const named = {
    ...kernel,
    hostname: (readText(kernel, '/etc/hostname') ?? kernel.hostname).trim(),
    swap: swapAtBoot(kernel),
    selinux: selinuxAtBoot(kernel),
  }
  return retryFailed(unitsAtBoot(named).reduce((next, unit) => attempt(next, () => startUnit(next, unit)).state, named))
}

/** Tries again what the service manager would try again, until that brings nothing more up. */
export function retryFailed(state: HostState): HostState {
  const failed = [...state.units].filter(([, unit]) => unit.active === 'failed' && unit.definition.restarts)
  const next = failed.reduce((so, [name]) => attempt(so, () => startUnit(so, name)).state, state)
  const progress = failed.some(([name]) => next.units.get(name)?.active === 'active')
  return progress ? retryFailed(next) : state
}

/** The directory as a fresh boot makes it. */
function emptyRun(state: HostState): DirectoryEntry {
  const children = ['lock', 'systemd'].map((name) => [name, emptyDirectory('0755', 'root:root', state.now)] as const)
  const old = entryAt(state.root, '/run')
  return { ...emptyDirectory(old?.mode ?? '0755', old?.owner ?? 'root:root', state.now), children: new Map(children) }
}

function selinuxAtBoot(state: HostState): HostState['selinux'] {
  const configured = configuredSelinux(state)
  return configured === 'enforcing' || configured === 'permissive' || configured === 'disabled' ? configured : state.selinux
}

function mountsAtBoot(state: HostState): ReadonlyMap<string, Mount> {
  const mounts = linesOf(state, '/etc/fstab')
    .map((line) => line.split(/\s+/))
    .filter(([, path = '', type]) => path.startsWith('/') && type !== 'swap' && entryAt(state.root, path)?.type === 'directory')
    .map(
      ([source = '', path = '', type = '', options = 'defaults']) =>
        [path, state.mounts.get(path) ?? { source, type, options: options.replace('defaults', 'rw,relatime') }] as const,
    )
  return new Map(mounts)
}
