import type { Host } from '../../runtime/index.ts'
import type { Op } from '../op.ts'
import { installPackages } from './package.ts'
import { reconfigureService } from './service.ts'

interface PackagedService {
  readonly unit: string
  /** None where the program is there already. */
  readonly packages: readonly string[]
  /** What the service runs with. */
  readonly files: readonly Op[]
  /** What the packages make by themselves and leave behind when they go, claimed beforehand. */
  readonly claims: readonly Op[]
}

/**
 * Runs a service of the distribution with files of ours; one that ran before kubexm gets its own files back.
 * Debian starts a service as soon as it is installed: there our files come first, and it never runs with those of the package, which may
 * open ports nobody asked for. Elsewhere the package comes first: rpm would put its own version of a file beside ours and forget it there.
 */
export function packagedService({ facts }: Host, { unit, packages, files, claims }: PackagedService): readonly Op[] {
  if (packages.length === 0) return reconfigureService({ unit, files })
  const install = installPackages(packages)
  const inOrder = facts.family === 'debian' ? [...files, install] : [install, ...files]
  return reconfigureService({ unit, files, along: [...claims, ...inOrder] })
}
