import { existsSync } from 'node:fs'
import { type LabPaths, mark } from './paths.ts'
import type { HostRecord, LabRecord } from './types.ts'

/** systemd-nspawn ends with this when the host asked for a reboot. */
export const rebootExitCode = 133

/** A command line and its environment. */
export interface BootCommand {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

// The overlay is mounted in a mount namespace of the host's own: it is in nobody's way and ends with the host, however that ends.
const enter = `
for group in $LAB_CGROUPS; do echo $$ >"$group/cgroup.procs"; done
mount -t overlay overlay -o "lowerdir=$LAB_LOWER,upperdir=$LAB_UPPER,workdir=$LAB_WORK" "$LAB_ROOT"
exec "$@"
`

/** The command that boots a host. */
export function bootCommand(
  paths: LabPaths,
  lab: LabRecord,
  host: HostRecord,
  cgroups: readonly string[],
  modules: string | null,
): BootCommand {
  const disk = paths.host(host.name)
  const devices = ['/dev/kmsg', '/dev/net/tun', '/dev/fuse'].filter((path) => existsSync(path))
  return {
    env: {
      LAB_CGROUPS: cgroups.join(' '),
      LAB_LOWER: lab.rootImage,
      LAB_UPPER: disk.upper,
      LAB_WORK: disk.work,
      LAB_ROOT: disk.root,
      // A host must be able to do what a machine can: no filter on system calls, a writable /proc/sys and /sys.
      SYSTEMD_SECCOMP: '0',
      SYSTEMD_NSPAWN_API_VFS_WRITABLE: '1',
      SYSTEMD_NSPAWN_LOCK: '0',
    },
    argv: [
      ...['unshare', '--mount', '--propagation', 'slave', 'sh', '-euc', enter, 'sh'],
      ...['systemd-nspawn', '--quiet', '--boot', `--directory=${disk.root}`, `--machine=${mark(lab.name)}.${host.name}`],
      ...[`--hostname=${host.name}`, `--uuid=${host.uuid.replaceAll('-', '')}`, '--register=no', '--keep-unit'],
      // Everything but the clock, which is the machine's.
      ...['--capability=all', '--drop-capability=CAP_SYS_TIME'],
      ...['--link-journal=no', '--resolv-conf=off', '--timezone=off', '--console=pipe', '--kill-signal=SIGRTMIN+3'],
      `--network-namespace-path=${paths.netns(host.name)}`,
      `--bind=${disk.varLib}:/var/lib`,
      ...devices.map((path) => `--bind=${path}`),
      ...(existsSync('/sys/module') ? ['--bind-ro=/sys/module'] : []),
      ...(modules === null ? [] : [`--bind-ro=${modules}:/lib/modules`]),
    ],
  }
}
