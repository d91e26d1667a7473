import { fail, type KubexmError } from '../error/index.ts'
import { eventually } from '../util/eventually.ts'
import { formatMillis, minutes, seconds } from '../util/time.ts'
import { type Answer, type Hands, seenIn } from './hands.ts'
import { installFromScript, installScript, rememberPulledIn, removeScript } from './package-scripts.ts'
import { hostPaths, type Packages } from './runner.ts'

// An unattended upgrade of a fresh machine takes this long on a slow mirror.
const patience = minutes(15)
const pulledIn = `${hostPaths.root}/pulled-in-packages`

/** How apt, dpkg, dnf and yum say that somebody else is at work. */
const lockHeld =
  /could not get lock|unable to (acquire|lock)|is another process using it|dpkg status database is locked|waiting for process with pid|another app is currently holding the yum lock|waiting for lock|can't create transaction lock/i

/** Driving the package manager of the host, whichever it is. */
export function packages(hands: Hands): Packages {
  const run = async (script: string, action: string, names: readonly string[]): Promise<void> => {
    if (names.length === 0) return
    let told = false
    const ended = await eventually(
      async () => {
        const answer = await hands.change(script)
        if (answer.code === 0 || !lockHeld.test(answer.stderr)) return answer
        if (!told)
          hands.scope.log?.('info', `waiting for another program to release the package lock: ${answer.stderr.trim().split('\n')[0]}`)
        told = true
        return null
      },
      { every: seconds(3), within: patience, signal: hands.scope.signal },
    )
    if (ended === null) throw fail('KX_PACKAGE_LOCKED', { limit: formatMillis(patience) }, { where: { host: hands.host } })
    if (ended.code !== 0) throw failure(ended, action, names).at({ host: hands.host })
  }
  return {
    install: async (names) => await run(rememberPulledIn(installScript(names), names, pulledIn), 'installing', names),
    installFrom: async (directory, names) =>
      await run(rememberPulledIn(installFromScript(directory, names), names, pulledIn), 'installing', names),
    remove: async (names, { keepConfig = false } = {}) => await run(removeScript(names, pulledIn, keepConfig), 'removing', names),
  }
}

function failure(answer: Answer, action: string, names: readonly string[]): KubexmError {
  const list = names.join(' ')
  if (answer.said.has('unmanaged')) return fail('KX_PACKAGE_MANAGER', { names: list })
  return fail('KX_PACKAGE', { action, names: list }, { seen: seenIn(answer) })
}
