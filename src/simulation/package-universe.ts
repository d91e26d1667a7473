import type { OsProfile } from './profile.ts'

/** What a repository knows about a package, and what it puts on a host. */
export interface PackageModel {
  readonly version: string
  readonly depends: readonly string[]
  /** Programs, as absolute paths. */
  readonly binaries: readonly string[]
  /** Services: the name of the unit, what it runs, and a file without which it is not started. */
  readonly services: readonly { readonly unit: string; readonly exec: string; readonly needs?: string }[]
  /** Plain files: path and text. */
  readonly files: Readonly<Record<string, string>>
  /** Directories that come with it, and go when they are empty. */
  readonly directories: readonly string[]
  /** Users it makes, and their homes. Debian removes them when it is purged, rpm never does. */
  readonly users: Readonly<Record<string, string>>
  /** Files its scripts make unless they are there; nobody removes them. */
  readonly leaves: readonly string[]
  /** What its scripts remove, whatever is in there, when it goes with its configuration. */
  readonly purges: readonly string[]
}

/** A package with the usual things left out. */
export const packageModel = (version: string, parts: Partial<Omit<PackageModel, 'version'>> = {}): PackageModel => ({
  version,
  depends: [],
  binaries: [],
  services: [],
  files: {},
  directories: [],
  users: {},
  leaves: [],
  purges: [],
  ...parts,
})

const tools = {
  socat: packageModel('1.7.4', { binaries: ['/usr/bin/socat'] }),
  ipset: packageModel('7.17', { binaries: ['/usr/sbin/ipset'] }),
  ipvsadm: packageModel('1.31', { binaries: ['/usr/sbin/ipvsadm'] }),
  nftables: packageModel('1.0.6', { binaries: ['/usr/sbin/nft'] }),
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
} as const

const haproxyUnit = { unit: 'haproxy.service', exec: '/usr/sbin/haproxy -Ws -f /etc/haproxy/haproxy.cfg' }
const haproxyFiles = { '/etc/haproxy/haproxy.cfg': 'global\n    user haproxy\ndefaults\n    mode http\n' }
const nginxUnit = { unit: 'nginx.service', exec: '/usr/sbin/nginx' }
const keepalivedUnit = { unit: 'keepalived.service', exec: '/usr/sbin/keepalived --dont-fork' }
const streamModule = 'load_module modules/ngx_stream_module.so;\n'

const debianOnly = {
  haproxy: packageModel('2.6.12', {
    binaries: ['/usr/sbin/haproxy'],
    services: [haproxyUnit],
    files: haproxyFiles,
    directories: ['/var/lib/haproxy', '/var/lib/haproxy/dev', '/run/haproxy'],
    users: { haproxy: '/var/lib/haproxy' },
  }),
  nginx: packageModel('1.22.1', { depends: ['nginx-common'], binaries: ['/usr/sbin/nginx'] }),
  'nginx-light': packageModel('1.22.1', { depends: ['nginx'] }),
  // A web server for everybody from the moment it is there.
  'nginx-common': packageModel('1.22.1', {
    services: [nginxUnit],
    files: {
      '/etc/nginx/nginx.conf':
        'user www-data;\ninclude /etc/nginx/modules-enabled/*.conf;\nhttp {\n  include /etc/nginx/sites-enabled/*;\n}\n',
      '/etc/nginx/sites-enabled/default': 'server {\n  listen 80 default_server;\n}\n',
    },
    directories: ['/var/lib/nginx', '/var/log/nginx'],
    leaves: ['/var/www/html/index.nginx-debian.html'],
    purges: ['/var/lib/nginx', '/var/log/nginx', '/etc/nginx'],
  }),
  'libnginx-mod-stream': packageModel('1.22.1', {
    depends: ['nginx-common'],
    files: {
      '/usr/share/nginx/modules-available/mod-stream.conf': streamModule,
      '/etc/nginx/modules-enabled/50-mod-stream.conf': streamModule,
    },
  }),
  keepalived: packageModel('2.2.7', {
    binaries: ['/usr/sbin/keepalived'],
    services: [{ ...keepalivedUnit, needs: '/etc/keepalived/keepalived.conf' }],
    files: { '/etc/keepalived/keepalived.conf.sample': '# a sample\n' },
  }),
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
  haproxy: packageModel('2.4.22', {
    binaries: ['/usr/sbin/haproxy'],
    services: [haproxyUnit],
    files: haproxyFiles,
    directories: ['/var/lib/haproxy'],
    users: { haproxy: '/var/lib/haproxy' },
  }),
  nginx: packageModel('1.20.1', {
    binaries: ['/usr/sbin/nginx'],
    services: [nginxUnit],
    files: {
      '/etc/nginx/nginx.conf': 'user nginx;\ninclude /usr/share/nginx/modules/*.conf;\nhttp {\n  server {\n    listen 80;\n  }\n}\n',
    },
    directories: ['/var/lib/nginx', '/var/log/nginx'],
    users: { nginx: '/var/lib/nginx' },
  }),
  'nginx-mod-stream': packageModel('1.20.1', {
    depends: ['nginx'],
    files: { '/usr/share/nginx/modules/mod-stream.conf': streamModule },
  }),
  keepalived: packageModel('2.2.8', {
    binaries: ['/usr/sbin/keepalived'],
    services: [keepalivedUnit],
    files: { '/etc/keepalived/keepalived.conf': 'vrrp_instance VI_1 {\n}\n' },
    users: { keepalived_script: '/' },
  }),
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
