import type { Facts } from '../runner/index.ts'

/** What one distribution is like, as data. */
export interface OsProfile {
  readonly id: string
  readonly idLike: readonly string[]
  readonly version: string
  readonly name: string
  readonly family: Facts['family']
  readonly packageManager: NonNullable<Facts['packageManager']>
  readonly kernel: string
  readonly cgroup: Facts['cgroup']
  readonly selinux: 'enforcing' | 'permissive' | 'disabled' | 'absent'
  readonly firewall: 'firewalld' | 'ufw' | null
  readonly firewallActive: boolean
  /** Modules compiled into the kernel. */
  readonly builtinModules: readonly string[]
  /** Modules the stock kernel package lacks. */
  readonly absentModules?: readonly string[]
}

const debian = {
  family: 'debian',
  packageManager: 'apt',
  cgroup: 'v2',
  selinux: 'absent',
  firewall: null,
  firewallActive: false,
  builtinModules: [],
} as const
const ubuntu = { ...debian, id: 'ubuntu', idLike: ['debian'], firewall: 'ufw' } as const
const rhel = {
  family: 'rhel',
  packageManager: 'dnf',
  cgroup: 'v2',
  selinux: 'enforcing',
  firewall: 'firewalld',
  firewallActive: true,
  builtinModules: [],
} as const
const el8 = { kernel: '4.18.0-553.el8_10', cgroup: 'v1' } as const
const el9 = { kernel: '5.14.0-503.el9_5' } as const

/** The distributions a host can be simulated as. */
export const osProfiles = {
  'debian-12': { ...debian, id: 'debian', idLike: [], version: '12', name: 'Debian GNU/Linux 12 (bookworm)', kernel: '6.1.0-28' },
  'debian-11': { ...debian, id: 'debian', idLike: [], version: '11', name: 'Debian GNU/Linux 11 (bullseye)', kernel: '5.10.0-33' },
  'ubuntu-24.04': { ...ubuntu, version: '24.04', name: 'Ubuntu 24.04.1 LTS', kernel: '6.8.0-49-generic' },
  'ubuntu-22.04': { ...ubuntu, version: '22.04', name: 'Ubuntu 22.04.5 LTS', kernel: '5.15.0-126-generic' },
  'rocky-9': { ...rhel, ...el9, id: 'rocky', idLike: ['rhel', 'centos', 'fedora'], version: '9.5', name: 'Rocky Linux 9.5 (Blue Onyx)' },
  'rocky-8': {
    ...rhel,
    ...el8,
    id: 'rocky',
    idLike: ['rhel', 'centos', 'fedora'],
    version: '8.10',
    name: 'Rocky Linux 8.10 (Green Obsidian)',
  },
  'almalinux-9': {
    ...rhel,
    ...el9,
    id: 'almalinux',
    idLike: ['rhel', 'centos', 'fedora'],
    version: '9.5',
    name: 'AlmaLinux 9.5 (Teal Serval)',
  },
  'centos-7': {
    ...rhel,
    id: 'centos',
    idLike: ['rhel', 'fedora'],
    version: '7',
    name: 'CentOS Linux 7 (Core)',
    packageManager: 'yum',
    kernel: '3.10.0-1160.el7',
    cgroup: 'v1',
  },
  'openeuler-22.03': {
    ...rhel,
    id: 'openEuler',
    idLike: [],
    version: '22.03',
    name: 'openEuler 22.03 (LTS-SP4)',
    kernel: '5.10.0-216.0.0.115.oe2203sp4',
    cgroup: 'v1',
  },
  'kylin-v10': {
    ...rhel,
    id: 'kylin',
    idLike: ['rhel', 'fedora'],
    version: 'V10',
    name: 'Kylin Linux Advanced Server V10 (Lance)',
    kernel: '4.19.90-52.22.v2207.ky10',
    cgroup: 'v1',
    builtinModules: ['overlay'],
  },
} as const satisfies Readonly<Record<string, OsProfile>>

/** The name of a distribution that can be simulated. */
export type OsName = keyof typeof osProfiles
