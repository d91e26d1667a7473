import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fail } from '../error/index.ts'
import { labCacheDir } from './paths.ts'

/** Whether this machine can run a lab; if not, what is missing and how to get it, in one sentence each. */
export type LabCapability = { readonly ok: true } | { readonly ok: false; readonly missing: string; readonly fix: string }

/** The programs a lab is made with, and the Debian packages they come in. */
export const tools = {
  'systemd-nspawn': 'systemd-container',
  debootstrap: 'debootstrap',
  ip: 'iproute2',
  bridge: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  setpriv: 'util-linux',
  flock: 'util-linux',
  mount: 'mount',
  sysctl: 'procps',
  ssh: 'openssh-client',
  'ssh-keygen': 'openssh-client',
  'dpkg-deb': 'dpkg',
} as const

const overlayMagic = 0x794c7630
const capabilities = { CAP_NET_ADMIN: 12, CAP_SYS_CHROOT: 18, CAP_SYS_ADMIN: 21, CAP_MKNOD: 27 } as const

/** The programs of {@link tools} that this machine does not have. */
export const missingTools = (): (keyof typeof tools)[] => (Object.keys(tools) as (keyof typeof tools)[]).filter((tool) => !onPath(tool))

/** Says whether this machine can run a lab. Tools that kubexm can install by itself are not missing. */
export function labCapability(): LabCapability {
  for (const check of checks) {
    const finding = check()
    if (finding !== null) return { ok: false, ...finding }
  }
  return { ok: true }
}

/** Refuses to go on where a lab cannot run. */
export function requireLabCapability(): void {
  const capability = labCapability()
  if (!capability.ok) throw fail('KX_LAB_UNSUPPORTED', { missing: capability.missing, fix: capability.fix })
}

type Check = () => { readonly missing: string; readonly fix: string } | null

const checks: readonly Check[] = [
  () =>
    process.platform === 'linux'
      ? null
      : { missing: `it runs ${process.platform}, not Linux`, fix: 'run the lab on a Linux machine or VM' },
  () => (process.getuid?.() === 0 ? null : { missing: 'kubexm does not run as root', fix: 'run the same command with sudo' }),
  () => {
    const missing = missingCapabilities()
    if (missing.length === 0) return null
    return { missing: `root lacks ${missing.join(', ')} here`, fix: 'run the lab on the machine itself, or in a privileged container' }
  },
  () => {
    const missing = missingTools()
    if (missing.length === 0 || onPath('apt-get')) return null
    return {
      missing: `${missing.join(', ')} not found`,
      fix: `install the packages that bring ${missing.join(', ')} (Debian calls them ${packagesOf(missing).join(', ')})`,
    }
  },
  () =>
    /\scgroup2?\s/.test(readFileSync('/proc/mounts', 'utf8'))
      ? null
      : { missing: 'no cgroup hierarchy is mounted', fix: 'mount cgroup2 on /sys/fs/cgroup' },
  () =>
    /\boverlay\b/.test(readFileSync('/proc/filesystems', 'utf8')) || (onPath('modprobe') && spawnSync('modprobe', ['overlay']).status === 0)
      ? null
      : { missing: 'the kernel has no overlay filesystem', fix: 'use a kernel with CONFIG_OVERLAY_FS' },
  () =>
    statfsSync(existingParent(labCacheDir())).type === overlayMagic
      ? { missing: `${labCacheDir()} is itself on an overlay filesystem`, fix: 'point KUBEXM_CACHE to a directory on a real disk' }
      : null,
  () => {
    if (!onPath('unshare')) return null
    const probe = spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', '--uts', '--ipc', 'true'], { encoding: 'utf8' })
    return probe.status === 0
      ? null
      : { missing: `namespaces cannot be made (${probe.stderr.trim()})`, fix: 'use a machine whose kernel and sandbox allow namespaces' }
  },
]

/** The Debian packages that bring these programs. */
export const packagesOf = (missing: readonly (keyof typeof tools)[]): string[] => [...new Set(missing.map((tool) => tools[tool]))].sort()

function missingCapabilities(): string[] {
  const mask = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`)
  return Object.entries(capabilities)
    .filter(([, bit]) => (mask & (1n << BigInt(bit))) === 0n)
    .map(([name]) => name)
}

function onPath(program: string): boolean {
  return `${process.env.PATH ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`.split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

const existingParent = (path: string): string => (existsSync(path) ? path : existingParent(dirname(path)))
