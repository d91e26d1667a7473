import { fail } from '../error/index.ts'
import { lastLines } from '../util/last-lines.ts'
import { missingTools, packagesOf } from './capability.ts'
import { attempt } from './command.ts'
import type { OnProgress } from './types.ts'

// The keys that Debian's packages are signed with: other distributions' debootstrap does not bring them.
const alwaysWith: Readonly<Record<string, string>> = { debootstrap: 'debian-archive-keyring' }

/** Installs the programs a lab is made with, where they are missing, with the machine's own package manager. */
export async function ensurePrerequisites(onProgress: OnProgress): Promise<void> {
  const missing = missingTools()
  if (missing.length === 0) return
  const packages = packagesOf(missing).flatMap((name) => [name, ...(alwaysWith[name] === undefined ? [] : [alwaysWith[name]])])
  onProgress({ type: 'tools', packages })
  const install = ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...packages]
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const first = await attempt(install, { env })
  if (first.code === 0) return
  // Package lists are missing or old. Foreign sources may fail to update without harm: the second attempt is the judge.
  const update = await attempt(['apt-get', 'update', '-q'], { env })
  const second = await attempt(install, { env })
  if (second.code !== 0) {
    throw fail(
      'KX_LAB_COMMAND',
      { command: install.join(' '), code: second.code },
      { seen: lastLines(`${update.stderr}\n${second.stderr}`) },
    )
  }
}
