import type { Artifact } from '../artifacts.ts'
import type { BundleIndex } from '../bundle.ts'

/** As much of a host as decides which packages are for it. */
interface PackageHost {
  readonly name: string
  readonly facts: { readonly os: { readonly id: string; readonly version: string }; readonly arch: string }
}

/** The files of packages in a bundle, each with the hosts it is for. */
export function packageFilesFor(index: BundleIndex, hosts: readonly PackageHost[]): readonly Artifact[] {
  return index.entries.flatMap(({ id, key }) => {
    const [, os, fileName] = /^package:([^/]+)\/([^/]+\.(?:deb|rpm))$/.exec(key) ?? []
    if (os === undefined || fileName === undefined) return []
    const own = hosts.filter(({ facts }) => isOf(facts.os, os) && isFor(facts.arch, fileName)).map(({ name }) => name)
    return own.length === 0 ? [] : [{ id, kind: 'package-file' as const, os, fileName, hosts: own }]
  })
}

/** Whether a distribution is the one that packages are named for: `rocky-9` is also Rocky Linux 9.4. */
const isOf = ({ id, version }: { readonly id: string; readonly version: string }, os: string): boolean =>
  os === `${id}-${version}` || `${id}-${version}`.startsWith(`${os}.`)

/** By the end of its name, where every package file says what it is for. */
function isFor(arch: string, fileName: string): boolean {
  const [, own] = /[_.]([a-z0-9]+)\.(?:deb|rpm)$/.exec(fileName.replace('x86_64', 'amd64').replace('aarch64', 'arm64')) ?? []
  return own === arch || own === 'all' || own === 'noarch'
}
