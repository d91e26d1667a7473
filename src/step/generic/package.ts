import type { PackagesState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** Where packages come from on a host without internet: a directory of .deb or .rpm files on the host itself. */
export type PackageSource = {
  readonly directory: string
}

/** Names in one word: how several packages are known as one thing. */
const nameOf = (names: readonly string[]): string => names.join(' ')
const probeOf = (id: string) => ({ kind: 'packages', names: id.split(' ') }) as const

const packagesKind: Kind<PackagesState> = {
  name: 'packages',
  probe: probeOf,
  // A package that was there before stays: we never upgraded it.
  undo: (on, _id, before) => on.packages.remove(before.missing),
  isBack: (before, now) => before.missing.every((name) => (now as PackagesState).missing.includes(name)),
}

type DisplacedBefore = { readonly present: readonly string[]; readonly from: PackageSource | null }

const displacedKind: Kind<DisplacedBefore> = {
  name: 'displaced-packages',
  probe: probeOf,
  undo: (on, _id, { present, from }) => (from === null ? on.packages.install(present) : on.packages.installFrom(from.directory, present)),
  isBack: (before, now) => !before.present.some((name) => (now as PackagesState).missing.includes(name)),
}

/** Installs packages unless they are there, all in one go: a package manager takes seconds to get going. */
export function installPackages(names: readonly string[], from?: PackageSource): Op {
  return defineOp({
    kind: packagesKind,
    id: nameOf(names),
    does: `install ${nameOf(names)}`,
    lock: 'packages',
    probe: { kind: 'packages', names },
    desired: { missing: [] },
    isDone: (state) => state.missing.length === 0,
    capture: (state) => state,
    apply: (on, _ctx, { missing }) =>
      from === undefined ? on.packages.install(missing) : on.packages.installFrom(from.directory, missing),
  })
}

/** Installs one package. */
export const installPackage = (name: string, from?: PackageSource): Op => installPackages([name], from)

/** Makes room for a package that cannot be installed beside these; they come back, with their configuration, when it goes. */
export function displacePackages(names: readonly string[], from?: PackageSource): Op {
  const presentIn = (state: PackagesState): readonly string[] => names.filter((name) => !state.missing.includes(name))
  return defineOp({
    kind: displacedKind,
    id: nameOf(names),
    does: `make room by taking away ${names.join(' or ')}`,
    lock: 'packages',
    probe: { kind: 'packages', names },
    desired: { missing: names },
    isDone: (state) => presentIn(state).length === 0,
    capture: (state) => ({ present: presentIn(state), from: from ?? null }),
    apply: (on, _ctx, state) => on.packages.remove(presentIn(state), { keepConfig: true }),
  })
}

export const packageKinds: readonly Kind<never>[] = [packagesKind, displacedKind]
