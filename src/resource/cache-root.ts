import { homedir } from 'node:os'
import { join } from 'node:path'

/** Everything kubexm may keep and may lose: `KUBEXM_CACHE`, or `~/.cache/kubexm`. */
export const cacheRoot = (environment: Readonly<Record<string, string | undefined>> = process.env): string =>
  environment.KUBEXM_CACHE ?? join(homedir(), '.cache', 'kubexm')

/** Where artifacts are kept for all clusters of this user. */
export const artifactRoot = (environment: Readonly<Record<string, string | undefined>> = process.env): string =>
  join(cacheRoot(environment), 'artifacts')
