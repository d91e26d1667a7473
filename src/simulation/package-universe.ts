import type { OsProfile } from './profile.ts'

/** What a repository knows about a package, and what it puts on a host. */
export interface PackageModel {
  readonly version: string
  readonly depends: readonly string[]
  /** Programs, as absolute paths. */
  readonly binaries: readonly string[]
  /** Services: the name of the unit and what it runs. */
  readonly services: readonly { readonly unit: string; readonly exec: string }[]
  /** Plain files: path and text. */
  readonly files: Readonly<Record<string, string>>
}

/** A package with the usual things left out. */
export const packageModel = (version: string, parts: Partial<Omit<PackageModel, 'version'>> = {}): PackageModel => ({
  version,
  depends: [],
  binaries: [],
  services: [],
  files: {},
  ...parts,
})

const tools = {
  socat: packageModel('1.7.4', { binaries: ['/usr/bin/socat'] }),
  ipset: packageModel('7.17', { binaries: ['/usr/sbin/ipset'] }),
  ipvsadm: packageModel('1.31', { binaries: ['/usr/sbin/ipvsadm'] }),
  ebtables: packageModel('2.0.11', { binaries: ['/usr/sbin/ebtables'] }),
  ethtool: packageModel('6.1', { binaries: ['/usr/sbin/ethtool'] }),
  iptables: packageModel('1.8.9', { binaries: ['/usr/sbin/iptables', '/usr/sbin/iptables-save', '/usr/sbin/iptables-restore'] }),
  curl: packageModel('7.88.1', { binaries: ['/usr/bin/curl'] }),
  tar: packageModel('1.34', { binaries: ['/usr/bin/tar'] }),
  jq: packageModel('1.6', { binaries: ['/usr/bin/jq'] }),
  openssl: packageModel('3.0.15', { binaries: ['/usr/bin/openssl'] }),
  rsync: packageModel('3.2.7', { binaries: ['/usr/bin/rsync'] }),
  bash: packageModel('5.2', { binaries: ['/usr/bin/bash'] }),
  'bash-completion': packageModel('2.11'),
  nginx: packageModel('1.22.1', {
    binaries: ['/usr/sbin/nginx'],
    services: [{ unit: 'nginx.service', exec: '/usr/sbin/nginx -g "daemon off;"' }],
    files: { '/etc/nginx/nginx.conf': 'events {}\n' },
  }),
  haproxy: packageModel('2.6.12', {
    binaries: ['/usr/sbin/haproxy'],
    services: [{ unit: 'haproxy.service', exec: '/usr/sbin/haproxy -Ws -f /etc/haproxy/haproxy.cfg' }],
    files: { '/etc/haproxy/haproxy.cfg': 'global\n    daemon\ndefaults\n    mode http\n' },
  }),
  keepalived: packageModel('2.2.7', {
    binaries: ['/usr/sbin/keepalived'],
    services: [{ unit: 'keepalived.service', exec: '/usr/sbin/keepalived --dont-fork' }],
  }),
} as const

const debianOnly = {
  conntrack: packageModel('1.4.7', { binaries: ['/usr/sbin/conntrack'] }),
  'nfs-common': packageModel('2.6.2', { binaries: ['/usr/sbin/mount.nfs'] }),
  'open-iscsi': packageModel('2.1.8', { binaries: ['/usr/sbin/iscsiadm'] }),
  'ca-certificates': packageModel('20230311'),
  'apt-transport-https': packageModel('2.6.1'),
  chrony: packageModel('4.3', {
    binaries: ['/usr/sbin/chronyd', '/usr/bin/chronyc'],
    services: [{ unit: 'chrony.service', exec: '/usr/sbin/chronyd -n' }],
    files: { '/etc/chrony/chrony.conf': 'pool 2.debian.pool.ntp.org iburst\n' },
  }),
  ufw: packageModel('0.36.2', { binaries: ['/usr/sbin/ufw'], files: { '/etc/ufw/ufw.conf': 'ENABLED=no\nLOGLEVEL=low\n' } }),
} as const

const rhelOnly = {
  'conntrack-tools': packageModel('1.4.7', { binaries: ['/usr/sbin/conntrack'] }),
  'nfs-utils': packageModel('2.5.4', { binaries: ['/usr/sbin/mount.nfs'] }),
  'iscsi-initiator-utils': packageModel('6.2.1', { binaries: ['/usr/sbin/iscsiadm'] }),
  'container-selinux': packageModel('2.232.1'),
  libseccomp: packageModel('2.5.2'),
  chrony: packageModel('4.3', {
    binaries: ['/usr/sbin/chronyd', '/usr/bin/chronyc'],
    services: [{ unit: 'chronyd.service', exec: '/usr/sbin/chronyd -n' }],
    files: { '/etc/chrony.conf': 'pool 2.pool.ntp.org iburst\n' },
  }),
  firewalld: packageModel('1.3.4', {
    binaries: ['/usr/sbin/firewalld', '/usr/bin/firewall-cmd'],
    services: [{ unit: 'firewalld.service', exec: '/usr/sbin/firewalld --nofork' }],
  }),
} as const

const universes = { debian: toMap({ ...tools, ...debianOnly }), rhel: toMap({ ...tools, ...rhelOnly }) }

/** The packages the stock repositories of a distribution offer, as far as kubexm ever asks for one. */
export const stockPackages = (os: OsProfile): ReadonlyMap<string, PackageModel> =>
  os.family === 'debian' ? universes.debian : universes.rhel

/** What comes with a fresh installation. */
export const preinstalled = (os: OsProfile): readonly string[] => [
  'bash',
  'curl',
  'tar',
  'openssl',
  'iptables',
  ...(os.family === 'debian' ? ['ca-certificates'] : []),
  ...(os.firewall === null ? [] : [os.firewall]),
]

function toMap(packages: Readonly<Record<string, PackageModel>>): ReadonlyMap<string, PackageModel> {
  return new Map(Object.entries(packages))
}
