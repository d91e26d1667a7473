import { fail } from '../error/index.ts'
import { quote as q } from './command.ts'
import { commandFailure, type Hands } from './hands.ts'
import type { System } from './runner.ts'

/** What is one of a kind on a host. */
export function system(hands: Hands): System {
  const change = async (script: string, name: string): Promise<void> => {
    await hands.change(script, { orElse: commandFailure(name) })
  }
  return {
    // hostnamectl needs a running D-Bus; the file and the kernel are what it would set.
    setHostname: async (name) =>
      await change(
        `hostnamectl set-hostname --static -- ${q(name)} 2>/dev/null || { printf '%s\\n' ${q(name)} > /etc/hostname.kx && mv -f /etc/hostname.kx /etc/hostname || printf '%s\\n' ${q(name)} > /etc/hostname; }
[ "$(cat /proc/sys/kernel/hostname)" = ${q(name)} ] || hostname ${q(name)} 2>/dev/null || printf '%s\\n' ${q(name)} > /proc/sys/kernel/hostname`,
        `hostnamectl set-hostname ${name}`,
      ),
    setTimezone: async (name) => {
      const answer = await hands.change(
        `z=/usr/share/zoneinfo/${q(name)}
[ -f "$z" ] || { printf '\\036kx:unknown\\036\\n' >&2; exit 1; }
timedatectl set-timezone ${q(name)} 2>/dev/null || { ln -s "..$z" /etc/localtime.kx && mv -fT /etc/localtime.kx /etc/localtime; } || exit
[ ! -f /etc/timezone ] || printf '%s\\n' ${q(name)} > /etc/timezone`,
      )
      if (answer.said.has('unknown')) throw fail('KX_TIMEZONE', { zone: name }, { where: { host: hands.host } })
      if (answer.code !== 0) throw commandFailure(`timedatectl set-timezone ${name}`)(answer).at({ host: hands.host })
    },
    swapOff: async () => await change('swapoff -a', 'swapoff -a'),
    swapOn: async (areas) => {
      if (areas.length === 0) return
      await change(
        `for a in ${areas.map(q).join(' ')}; do grep -Fq -- "$a " /proc/swaps || swapon -- "$a" || exit; done`,
        `swapon ${areas.join(' ')}`,
      )
    },
    setSelinux: async (mode) => await change(`setenforce ${mode === 'enforcing' ? 1 : 0}`, `setenforce ${mode}`),
    setFirewall: async (tool, state) =>
      await change(tool === 'firewalld' ? firewalld(state) : ufw(state), `${tool} ${state.active ? 'on' : 'off'}`),
  }
}

interface FirewallWish {
  readonly active: boolean
  readonly atBoot: boolean
}

const firewalld = ({ active, atBoot }: FirewallWish): string =>
  `systemctl ${atBoot ? 'enable' : 'disable'} firewalld && systemctl ${active ? 'start' : 'stop'} firewalld`

/** `ufw enable` and `ufw disable` set both; where they are to differ, the setting for boot is put right afterwards. */
function ufw({ active, atBoot }: FirewallWish): string {
  const now = active ? 'ufw --force enable' : 'ufw disable'
  return active === atBoot ? now : `${now} && sed -i 's/^ENABLED=.*/ENABLED=${atBoot ? 'yes' : 'no'}/' /etc/ufw/ufw.conf`
}
