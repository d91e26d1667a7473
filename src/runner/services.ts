import { fail } from '../error/index.ts'
import { quote as q } from './command.ts'
import { commandFailure, fileFailure, type Hands, seenIn } from './hands.ts'
import { hostPaths, type Services } from './runner.ts'

/** A unit's full name: `etcd` means `etcd.service`. */
export const unitName = (name: string): string =>
  /\.(service|socket|timer|target|mount|path|slice|scope|swap|automount|device)$/.test(name) ? name : `${name}.service`

/** Where the hash of a unit's files at its last start is kept. */
export const currentPath = (unit: string): string => `${hostPaths.current}/${unitName(unit)}`

/** Shell that prints one hash over files and their names; a file that is not there is part of it. */
export const filesHashScript = (files: readonly string[]): string =>
  `{ for f in ${[...files].sort().map(q).join(' ')}; do if [ -f "$f" ]; then sha256sum -- "$f"; else echo "absent $f"; fi; done; } | sha256sum | cut -d ' ' -f 1`

/** Driving systemd. */
export function services(hands: Hands): Services {
  const systemctl = async (action: string, unit: string, { before = '', after = '', wait = true } = {}): Promise<void> => {
    const name = q(unitName(unit))
    // The reason is in the unit's own log; fetched in the same round trip, because it is wanted at once.
    const explain = `{ code=$?; systemctl --no-pager -l -n 0 status ${name} 2>/dev/null | sed -n 's/^ *Active:/Active:/p' >&2; journalctl --no-pager -q -o cat -n 20 -u ${name} 2>/dev/null >&2; exit $code; }`
    await hands.change(`${before}systemctl ${action}${wait ? '' : ' --no-block'} -- ${name} || ${explain}\n${after}exit 0`, {
      orElse: (answer) => fail('KX_SERVICE', { unit, action }, { seen: seenIn(answer) }),
    })
  }
  // A unit that failed too often is not started again until somebody says so.
  const afresh = (unit: string): string => `systemctl reset-failed -- ${q(unitName(unit))} 2>/dev/null\n`
  // `--value` is younger than the systemd of RHEL 7.
  const unlessGone = (unit: string): string =>
    `[ "$(systemctl show -p LoadState -- ${q(unitName(unit))})" != LoadState=not-found ] || exit 0\n`
  return {
    reloadUnits: async () => {
      await hands.change('systemctl daemon-reload', { orElse: commandFailure('systemctl daemon-reload') })
    },
    enable: async (unit) => await systemctl('enable', unit),
    disable: async (unit) => await systemctl('disable', unit, { before: unlessGone(unit) }),
    start: async (unit, options) => await systemctl('start', unit, { before: afresh(unit), ...options }),
    // The state `failed` would outlive the unit's own file.
    stop: async (unit) => await systemctl('stop', unit, { before: unlessGone(unit), after: afresh(unit) }),
    restart: async (unit, options) => await systemctl('restart', unit, { before: afresh(unit), ...options }),
    markCurrent: async (unit, files) => {
      const path = currentPath(unit)
      await hands.change(
        `set -e\n(umask 077; mkdir -p ${hostPaths.root} ${hostPaths.current})\numask 077\n${filesHashScript(files)} > ${q(`${path}.new`)}\nmv -f -- ${q(`${path}.new`)} ${q(path)}`,
        { orElse: fileFailure('writing', path) },
      )
    },
    forgetCurrent: async (unit) => {
      await hands.change(`rm -f -- ${q(currentPath(unit))}`, { orElse: fileFailure('removing', currentPath(unit)) })
    },
  }
}
