import { timezoneScript } from './probes/system.ts'

// Read by the shell itself: fifty hosts on one small machine feel every process that is started.
const firstLine = (...files: readonly string[]): string =>
  `for f in ${files.join(' ')}; do if [ -r "$f" ]; then read -r l < "$f"; printf '%s\\n' "$l"; break; fi; done`

/** The questions whose answers make up the facts, each a small script that touches nothing. The clock comes first: it is compared with ours. */
export const factScripts = {
  clock: 'date +%s.%N',
  user: `echo "\${SUDO_USER:-$(id -un)}"`,
  hostname: firstLine('/proc/sys/kernel/hostname'),
  machineId: firstLine('/etc/machine-id', '/var/lib/dbus/machine-id'),
  productUuid: firstLine('/sys/class/dmi/id/product_uuid'),
  osRelease: 'cat /etc/os-release || cat /usr/lib/os-release',
  managers: 'for m in apt-get dnf yum zypper; do command -v "$m"; done',
  kernel: 'uname -m -r',
  cpus: 'nproc || grep -c ^processor /proc/cpuinfo',
  memory: 'cat /proc/meminfo',
  cgroup: `stat -f -c %T /sys/fs/cgroup; [ ! -d /sys/fs/cgroup/unified ] || echo unified`,
  init: firstLine('/proc/1/comm'),
  virtualization: `v=$(systemd-detect-virt 2>/dev/null)
if [ -z "$v" ]; then
  if grep -qa 'container=' /proc/1/environ; then v=$(tr '\\0' '\\n' < /proc/1/environ | sed -n 's/^container=//p')
  elif grep -q '^flags.* hypervisor' /proc/cpuinfo; then v=vm; fi
fi
echo "\${v:-none}"`,
  uptime: firstLine('/proc/uptime'),
  timezone: timezoneScript,
  selinux: `if [ -r /sys/fs/selinux/enforce ]; then ${firstLine('/sys/fs/selinux/enforce')}; elif [ -f /etc/selinux/config ]; then echo disabled; else echo absent; fi`,
  disks: 'df -P -T -B 1M -l || df -P -T -B 1M',
  links: 'ip -o link show',
  addresses: 'ip -o addr show',
  routes: 'ip -4 route show; ip -6 route show',
  listening: 'ss -H -l -n -t -u -p',
} as const

export type FactName = keyof typeof factScripts
