import { hostPaths, type PackagesState, type Runner } from '../../runner/index.ts'
import type { Host } from '../../runtime/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/**
 * Package files for a site whose hosts reach no repository: brought by a bundle or by hand. Only root can put something there, since what
 * lies there is installed without asking who signed it.
 */
export const packageDirectory = `${hostPaths.root}/packages`

/** From the directory where there is one, and nowhere else then; otherwise from the repositories the host has. */
async function install(on: Runner, names: readonly string[]): Promise<void> {
  const [directory] = await on.inspect([{ kind: 'file', path: packageDirectory }])
  await (directory.type === 'directory' ? on.packages.installFrom(packageDirectory, names) : on.packages.install(names))
}

/** The names that a host's package manager has for something; none where kubexm does not know the manager. */
export function packageNames(
  { facts }: Host,
  names: { readonly deb: readonly string[]; readonly rpm: readonly string[] } | undefined,
): readonly string[] {
  if (names === undefined || facts.packageManager === null || facts.packageManager === 'zypper') return []
  return facts.packageManager === 'apt' ? names.deb : names.rpm
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
  isLeft: (before, now) => !packagesKind.isBack(before, now),
}

type DisplacedBefore = { readonly present: readonly string[] }

const displacedKind: Kind<DisplacedBefore> = {
  name: 'displaced-packages',
  probe: probeOf,
  undo: (on, _id, { present }) => install(on, present),
  isBack: (before, now) => !before.present.some((name) => (now as PackagesState).missing.includes(name)),
}

/** Installs packages unless they are there, all in one go: a package manager takes seconds to get going. */
export function installPackages(names: readonly string[]): Op {
  return defineOp({
    kind: packagesKind,
    id: nameOf(names),
    does: `install ${nameOf(names)}`,
    lock: 'packages',
    probe: { kind: 'packages', names },
    desired: { missing: [] },
    isDone: (state) => state.missing.length === 0,
    capture: (state) => state,
    apply: (on, _ctx, { missing }) => install(on, missing),
  })
}

/** Installs one package. */
export const installPackage = (name: string): Op => installPackages([name])

/** Makes room for a package that cannot be installed beside these; they come back, with their configuration, when it goes. */
export function displacePackages(names: readonly string[]): Op {
  const presentIn = (state: PackagesState): readonly string[] => names.filter((name) => !state.missing.includes(name))
  return defineOp({
    kind: displacedKind,
    id: nameOf(names),
    does: `make room by taking away ${names.join(' or ')}`,
    lock: 'packages',
    probe: { kind: 'packages', names },
    desired: { missing: names },
    isDone: (state) => presentIn(state).length === 0,
    capture: (state) => ({ present: presentIn(state) }),
    apply: (on, _ctx, state) => on.packages.remove(presentIn(state), { keepConfig: true }),
  })
}

export const packageKinds: readonly Kind<never>[] = [packagesKind, displacedKind]
