import { quote as q } from '../command.ts'
import { moduleFunctions, normalSysctl, sysctlPath } from '../kernel.ts'
import type { FirewallState, SelinuxState } from '../probe.ts'
import { currentPath, filesHashScript, unitName } from '../services.ts'
import { linesOf, type ProbeKind, textOf } from './kind.ts'

export const unit: ProbeKind<'unit'> = {
  // is-enabled looks at the disk; the same property of `systemctl show` may be as old as the last reload.
  script: ({ name, files }) => `echo "active $(systemctl is-active -- ${q(unitName(name))} 2>/dev/null)"
echo "enabled $(systemctl is-enabled -- ${q(unitName(name))} 2>/dev/null)"
${files === undefined ? '' : `echo "now $(${filesHashScript(files)})"\necho "kept $(cat ${q(currentPath(name))} 2>/dev/null)"`}`,
  parse: (answer, { files }) => {
    const answers = new Map(linesOf(answer).map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]))
    const enabled = answers.get('enabled') || 'not-found'
    return {
      active: answers.get('active') || 'inactive',
      enabled,
      current: files === undefined ? null : answers.get('kept') !== '' && answers.get('kept') === answers.get('now'),
    }
  },
}

export const sysctl: ProbeKind<'sysctl'> = {
  script: ({ key }) => `f=${q(sysctlPath(key))}
[ -e "$f" ] || exit 0
if [ -w "$f" ]; then echo writable; else echo fixed; fi
cat -- "$f"`,
  parse: (answer) => {
    const [writable, ...value] = textOf(answer).split('\n')
    if (writable === '' || writable === undefined) return { value: null, writable: false }
    return { value: normalSysctl(value.join('\n')), writable: writable === 'writable' }
  },
}

export const module: ProbeKind<'module'> = {
  script: ({ name }) => `${moduleFunctions}kx_loaded ${q(name)} && echo "$how"`,
  parse: (answer) => ({ present: answer.code === 0, builtin: answer.code === 0 && textOf(answer).trim() === 'builtin' }),
}

export const selinux: ProbeKind<'selinux'> = {
  script: () => `if [ -r /sys/fs/selinux/enforce ]; then echo "mode $(cat /sys/fs/selinux/enforce)"
elif [ -f /etc/selinux/config ]; then echo 'mode disabled'; else echo 'mode absent'; fi
sed -n 's/^SELINUX= *\\([a-z]*\\).*/configured \\1/p' /etc/selinux/config 2>/dev/null`,
  parse: (answer): SelinuxState => {
    const lines = linesOf(answer)
    const value = (name: string): string | null => lines.findLast((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? null
    const modes = { '1': 'enforcing', '0': 'permissive', disabled: 'disabled', absent: 'absent' } as const
    return { mode: modes[(value('mode') ?? 'absent') as keyof typeof modes] ?? 'absent', configured: value('configured') }
  },
}

export const firewall: ProbeKind<'firewall'> = {
  script: () => `if systemctl cat firewalld.service >/dev/null 2>&1; then
  echo firewalld; systemctl is-active firewalld.service; systemctl is-enabled firewalld.service
elif command -v ufw >/dev/null; then
  echo ufw
  if ufw status | grep -q '^Status: active'; then echo active; else echo inactive; fi
  if grep -q '^ENABLED=yes' /etc/ufw/ufw.conf; then echo enabled; else echo disabled; fi
fi`,
  parse: (answer): FirewallState => {
    const [tool, active, boot] = linesOf(answer)
    return { tool: tool === 'firewalld' || tool === 'ufw' ? tool : null, active: active === 'active', atBoot: boot === 'enabled' }
  },
}

export const hostname: ProbeKind<'hostname'> = {
  script: () => 'cat /proc/sys/kernel/hostname; cat /etc/hostname',
  parse: (answer) => {
    const [current = '', ...configured] = textOf(answer).split('\n')
    return { current, configured: configured.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#')) ?? '' }
  },
}

/** Shell that prints the name of the time zone, as far as the host knows it. */
export const timezoneScript = `if [ -L /etc/localtime ]; then readlink -f /etc/localtime | sed -n 's,.*/zoneinfo/,,p'; elif [ -f /etc/timezone ]; then cat /etc/timezone; fi`

export const timezone: ProbeKind<'timezone'> = {
  script: () => timezoneScript,
  parse: (answer) => ({ name: textOf(answer).trim() || null }),
}
