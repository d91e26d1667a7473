import { fail } from '../error/index.ts'
import { quote as q } from './command.ts'
import { type Hands, seenIn } from './hands.ts'
import type { Kernel } from './runner.ts'

/** The file behind a sysctl. As sysctl(8) has it, dots and slashes change places: `net.ipv4.conf.eth0/100.forwarding` is about `eth0.100`. */
export const sysctlPath = (key: string): string =>
  `/proc/sys/${key.replace(/[./]/g, (char) => (/^[^./]*\//.test(key) ? char : char === '.' ? '/' : '.'))}`

/** A sysctl's value with its fields one blank apart: the kernel prints tabs. */
export const normalSysctl = (value: string): string => value.trim().split(/\s+/).join(' ')

/**
 * Shell functions: `kx_loaded NAME` holds when the module is loaded or built in (sets `$how`). Some kernels have no module directory and no
 * trace in /sys/module for what is built in: there the thing the module brings is looked for itself.
 */
export const moduleFunctions = `kx_loaded() {
  u=$(echo "$1" | tr - _)
  how=loaded
  if [ -r /proc/modules ] && grep -q "^$u " /proc/modules; then return 0; fi
  how=builtin
  if grep -q "/$(echo "$u" | sed 's/_/[-_]/g')\\.ko" "/lib/modules/$(uname -r)/modules.builtin" 2>/dev/null; then return 0; fi
  if [ -d "/sys/module/$u" ]; then return 0; fi
  case $u in
    overlay) grep -qw overlay /proc/filesystems ;;
    br_netfilter) [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] ;;
    nf_conntrack) [ -e /proc/sys/net/netfilter/nf_conntrack_max ] ;;
    ip_vs) [ -e /proc/net/ip_vs ] ;;
    tun) [ -e /sys/class/misc/tun ] ;;
    *) false ;;
  esac
}
`

/** Kernel parameters and modules. */
export const kernel = (hands: Hands): Kernel => ({
  setSysctl: async (key, value) => await setSysctl(hands, key, value),
  loadModule: async (name) => {
    await hands.change(
      `${moduleFunctions}kx_loaded ${q(name)} || modprobe -- ${q(name)} || { printf '\\036kx:kernel %s\\036\\n' "$(uname -r)" >&2; exit 1; }`,
      {
        orElse: (answer) =>
          fail('KX_MODULE_MISSING', { module: name, kernel: answer.said.get('kernel') ?? 'unknown' }, { seen: seenIn(answer) }),
      },
    )
  },
  unloadModule: async (name) => {
    // What is built in cannot be unloaded, and was not loaded by us.
    await hands.change(`${moduleFunctions}kx_loaded ${q(name)} || exit 0\n[ "$how" = builtin ] || modprobe -r -- ${q(name)}`, {
      orElse: (answer) => fail('KX_COMMAND', { command: `modprobe -r ${name}`, code: answer.code }, { seen: seenIn(answer) }),
    })
  },
})

async function setSysctl(hands: Hands, key: string, value: string): Promise<void> {
  const wanted = normalSysctl(value)
  const answer = await hands.change(
    `f=${q(sysctlPath(key))}
[ -e "$f" ] || { printf '\\036kx:unknown\\036\\n' >&2; exit 1; }
now() { tr -s '\\t ' '  ' < "$f" | sed 's/ *$//'; }
[ "$(now)" != ${q(wanted)} ] || exit 0
printf '%s\\n' ${q(wanted)} > "$f" && [ "$(now)" = ${q(wanted)} ] || { code=$?; printf '\\036kx:still %s\\036\\n' "$(now)" >&2; exit $code; }`,
  )
  if (answer.code === 0) return
  const where = { host: hands.host }
  const current = answer.said.get('still') ?? 'unreadable'
  if (answer.said.has('unknown')) throw fail('KX_SYSCTL_UNKNOWN', { key }, { where })
  const readOnly = /read-only|permission denied|cannot create|not permitted/i.test(answer.stderr)
  throw readOnly
    ? fail('KX_SYSCTL_READONLY', { key, value: wanted, current }, { where, seen: seenIn(answer) })
    : fail('KX_SYSCTL_INVALID', { key, value: wanted, current }, { where, seen: seenIn(answer) })
}
