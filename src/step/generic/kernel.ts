import { KubexmError } from '../../error/index.ts'
import type { ModuleState, SysctlState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { writeFile } from './file.ts'

const sysctlKind: Kind<SysctlState> = {
  name: 'sysctl',
  probe: (key) => ({ kind: 'sysctl', key }),
  undo: async (on, key, before) => {
    if (before.value !== null) await on.kernel.setSysctl(key, before.value)
  },
  isBack: (before, now) => before.value === null || (now as SysctlState).value === before.value,
  holds: (desired, now) => inOneSpelling((now as SysctlState).value) === inOneSpelling((desired as { readonly value: string }).value),
}

/** The kernel puts tabs between several values, people put blanks. */
const inOneSpelling = (value: string | null): string | null => value?.trim().split(/\s+/).join(' ') ?? null

const moduleKind: Kind<ModuleState> = {
  name: 'module',
  probe: (name) => ({ kind: 'module', name }),
  undo: async (on, name, before) => {
    try {
      if (!before.present) await on.kernel.unloadModule(name)
    } catch (thrown) {
      // A module in use cannot be unloaded; it is gone after the next boot, since nothing names it any more.
      if (!(thrown instanceof KubexmError && thrown.code === 'KX_COMMAND')) throw thrown
    }
  },
  isBack: (before, now) => before.present || !(now as ModuleState).present,
  mayStay: true,
}

/** Sets kernel parameters now and at boot. A value that is already right is left alone, also where the kernel forbids writing it. */
export function setSysctls(path: string, values: Readonly<Record<string, string>>): readonly Op[] {
  const content = Object.entries(values)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')
  return [
    writeFile({ path, content }),
    ...Object.entries(values).map(([key, value]) =>
      defineOp({
        kind: sysctlKind,
        id: key,
        does: `set ${key} = ${value}`,
        lock: 'kernel',
        probe: { kind: 'sysctl', key },
        desired: { value },
        isDone: (state) => inOneSpelling(state.value) === inOneSpelling(value),
        capture: (state) => state,
        apply: (on) => on.kernel.setSysctl(key, value),
      }),
    ),
  ]
}

/** Loads kernel modules now and at boot; one that is built into the kernel counts as loaded. */
export function loadModules(path: string, names: readonly string[]): readonly Op[] {
  return [
    writeFile({ path, content: names.map((name) => `${name}\n`).join('') }),
    ...names.map((name) =>
      defineOp({
        kind: moduleKind,
        id: name,
        does: `load module ${name}`,
        lock: 'kernel',
        probe: { kind: 'module', name },
        desired: { present: true },
        isDone: (state) => state.present,
        capture: (state) => state,
        apply: (on) => on.kernel.loadModule(name),
      }),
    ),
  ]
}

export const kernelKinds: readonly Kind<never>[] = [sysctlKind, moduleKind]
