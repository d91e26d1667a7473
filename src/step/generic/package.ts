import type { PackageState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

const packageKind: Kind<PackageState> = {
  name: 'package',
  probe: (name) => ({ kind: 'package', name }),
  // A package that was there before stays: we never upgraded it.
  undo: async (on, name, before) => {
    if (before.version === null) await on.packages.remove([name])
  },
  isBack: (before, now) => before.version !== null || (now as PackageState).version === null,
}

/** Installs a package unless it is there; from a directory on the host where one is given. */
export function installPackage(name: string, from?: { readonly directory: string }): Op {
  return defineOp({
    kind: packageKind,
    id: name,
    does: `install package ${name}`,
    lock: 'packages',
    probe: { kind: 'package', name },
    desired: { installed: true },
    isDone: (state) => state.version !== null,
    capture: (state) => state,
    apply: (on) => (from === undefined ? on.packages.install([name]) : on.packages.installFrom(from.directory, [name])),
  })
}

export const packageKinds: readonly Kind<never>[] = [packageKind]
