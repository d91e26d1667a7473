import { Content } from './content.ts'
import { makeDirectory, makeLink, put, writeFile } from './files.ts'
import { preinstalled } from './package-universe.ts'
import { programContent, putFiles } from './packages.ts'
import type { OsProfile } from './profile.ts'
import type { HostState, Machine, UserRecord } from './state.ts'
import { withKey } from './state.ts'
import { emptyDirectory } from './tree.ts'
import { enableUnit, startUnit } from './units.ts'

/** The programs of every installation that the simulated shell knows, by where they live. */
const programs = {
  '/usr/bin': [
    ...[
      'sh',
      'true',
      'false',
      'echo',
      'printf',
      'cat',
      'test',
      '[',
      'ls',
      'stat',
      'mkdir',
      'rm',
      'rmdir',
      'cp',
      'mv',
      'ln',
      'chmod',
      'chown',
      'touch',
      'tee',
    ],
    ...[
      'id',
      'getent',
      'hostname',
      'hostnamectl',
      'timedatectl',
      'uname',
      'nproc',
      'sha256sum',
      'grep',
      'head',
      'tail',
      'wc',
      'sort',
      'sleep',
      'date',
      'env',
    ],
    ...[
      'timeout',
      'which',
      'systemctl',
      'journalctl',
      'mount',
      'umount',
      'findmnt',
      'df',
      'readlink',
      'basename',
      'dirname',
      'mktemp',
      'getenforce',
    ],
  ],
  '/usr/sbin': [
    'sysctl',
    'modprobe',
    'lsmod',
    'swapon',
    'swapoff',
    'setenforce',
    'useradd',
    'userdel',
    'groupadd',
    'groupdel',
    'ip',
    'ss',
    'reboot',
    'sshd',
    'nologin',
  ],
} as const

const zones = [
  'UTC',
  'Etc/UTC',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Asia/Hong_Kong',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
] as const

const directories = [
  ...[
    '/etc/systemd/system',
    '/etc/sysctl.d',
    '/etc/modules-load.d',
    '/etc/default',
    '/etc/ssl/certs',
    '/etc/logrotate.d',
    '/etc/profile.d',
    '/etc/security/limits.d',
  ],
  ...[
    '/usr/lib/systemd/system',
    '/usr/lib/modules',
    '/usr/local/bin',
    '/usr/local/sbin',
    '/usr/local/lib',
    '/usr/sbin',
    '/usr/bin',
    '/usr/lib64',
    '/usr/share',
  ],
  ...[
    '/var/lib',
    '/var/log',
    '/var/cache',
    '/var/spool',
    '/run/systemd',
    '/run/lock',
    '/opt',
    '/home',
    '/root',
    '/mnt',
    '/srv',
    '/boot',
    '/dev',
    '/proc',
    '/sys/fs/cgroup',
  ],
] as const

const rootUser: UserRecord = { uid: 0, gid: 0, home: '/root', shell: '/bin/bash' }
const nobody: UserRecord = { uid: 65534, gid: 65534, home: '/nonexistent', shell: '/usr/sbin/nologin' }
const webServer = { uid: 33, gid: 33, home: '/var/www', shell: '/usr/sbin/nologin' }

const shared = new Map<string, HostState>()

/** A freshly installed host. Hosts of one kind share everything but their names. */
export function freshState(machine: Machine): HostState {
  const key = JSON.stringify([machine.os, machine.arch, machine.swapAreas])
  const base = shared.get(key) ?? buildBase({ ...machine, diskBytes: Number.MAX_SAFE_INTEGER })
  shared.set(key, base)
  const own = { ...base, machine, hostname: machine.name }
  const named = writeFile(own, '/etc/hostname', new Content(`${machine.name}\n`), { mode: '0644' })
  return writeFile(named, '/etc/machine-id', new Content(`${machine.machineId}\n`), { mode: '0444' })
}

function buildBase(machine: Machine): HostState {
  const { os } = machine
  const bare: HostState = {
    machine,
    root: emptyDirectory(),
    units: new Map(),
    packages: new Map(),
    users: new Map([['root', rootUser], ['nobody', nobody], ...(os.family === 'debian' ? [['www-data', webServer] as const] : [])]),
    groups: new Map([
      ['root', 0],
      [os.family === 'debian' ? 'nogroup' : 'nobody', 65534],
      ...(os.family === 'debian' ? [['www-data', 33] as const] : []),
    ]),
    sysctls: new Map(),
    modules: new Set(),
    swap: machine.swapAreas.map(({ path }) => path),
    mounts: new Map([['/', { source: '/dev/vda1', type: 'ext4', options: 'rw,relatime' }]]),
    traces: new Set(),
    selinux: os.selinux,
    ufwActive: os.firewall === 'ufw' && os.firewallActive,
    hostname: machine.name,
    processes: [],
    nextPid: 1000,
    now: 0,
    internet: true,
  }
  return [makeSkeleton, writeSystemFiles, installPrograms, installPackages, startServices].reduce((state, part) => part(state), bare)
}

function makeSkeleton(state: HostState): HostState {
  const plain = directories.reduce((next, path) => makeDirectory(next, path, { mode: path === '/root' ? '0700' : '0755' }), state)
  const withTmp = ['/tmp', '/var/tmp'].reduce((next, path) => makeDirectory(next, path, { mode: '1777' }), plain)
  const links: Readonly<Record<string, string>> = {
    '/bin': 'usr/bin',
    '/sbin': 'usr/sbin',
    '/lib': 'usr/lib',
    '/lib64': 'usr/lib64',
    '/var/run': '/run',
  }
  const linked = Object.entries(links).reduce((next, [path, target]) => makeLink(next, path, target), withTmp)
  return put(linked, ['dev', 'null'], { type: 'other', mode: '0666', owner: 'root:root', modified: 0 })
}

function writeSystemFiles(state: HostState): HostState {
  const { os, swapAreas } = state.machine
  const files: Readonly<Record<string, string>> = {
    '/etc/os-release': osRelease(os),
    '/etc/hosts': '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n',
    '/etc/resolv.conf': 'nameserver 192.0.2.53\n',
    '/etc/fstab': ['/dev/vda1 / ext4 defaults 0 1', ...swapAreas.map(({ path }) => `${path} none swap sw 0 0`), ''].join('\n'),
    '/etc/sysctl.conf': '# Settings of the administrator\n',
    '/etc/profile': '# System-wide profile\n',
    ...(os.selinux === 'absent' ? {} : { '/etc/selinux/config': `SELINUX=${os.selinux}\nSELINUXTYPE=targeted\n` }),
    ...Object.fromEntries(zones.map((zone) => [`/usr/share/zoneinfo/${zone}`, `TZif2 ${zone}\n`])),
    '/usr/lib/systemd/system/sshd.service':
      '[Unit]\nDescription=OpenSSH server\n\n[Service]\nType=notify\nExecStart=/usr/sbin/sshd -D\n\n[Install]\nWantedBy=multi-user.target\n',
  }
  const written = Object.entries(files).reduce((next, [path, text]) => writeFile(next, path, new Content(text), { mode: '0644' }), state)
  return makeLink(written, '/etc/localtime', '../usr/share/zoneinfo/Etc/UTC')
}

function osRelease(os: OsProfile): string {
  const like = os.idLike.length === 0 ? [] : [`ID_LIKE="${os.idLike.join(' ')}"`]
  return [`PRETTY_NAME="${os.name}"`, `ID=${os.id}`, ...like, `VERSION_ID="${os.version}"`, ''].join('\n')
}

function installPrograms(state: HostState): HostState {
  const paths = Object.entries(programs).flatMap(([directory, names]) => names.map((name) => `${directory}/${name}`))
  return paths.reduce((next, path) => writeFile(next, path, programContent(path, state.machine.arch), { mode: '0755' }), state)
}

function installPackages(state: HostState): HostState {
  return preinstalled(state.machine.os).reduce((next, name) => {
    const model = next.machine.packages.get(name)
    if (model === undefined) return next
    const there = putFiles(next, name, model)
    return { ...there, packages: withKey(there.packages, name, { version: model.version, held: false, auto: false }) }
  }, state)
}

function startServices(state: HostState): HostState {
  const units = ['sshd', ...(state.machine.os.firewall === 'firewalld' && state.machine.os.firewallActive ? ['firewalld'] : [])]
  return units.reduce((next, unit) => startUnit(enableUnit(next, unit), unit), state)
}
