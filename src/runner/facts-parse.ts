import type { Facts } from './facts.ts'
import { type FactName, factScripts } from './facts-script.ts'

/** The raw answers by name; an answer that could not be had is empty. */
export type RawFacts = Readonly<Record<FactName, string>>

/** Makes facts of what a host answered. `askedAt` and `answeredAt` are our clock around the question about its clock. */
export function parseFacts(raw: RawFacts, askedAt: number, answeredAt: number): Facts {
  const os = osOf(raw.osRelease)
  const memory = memoryOf(raw.memory)
  // uname prints the release before the machine, whatever the order of its options.
  const [kernel = '', machine = ''] = raw.kernel.trim().split(' ')
  return {
    hostname: raw.hostname.trim(),
    machineId: raw.machineId.trim(),
    productUuid: raw.productUuid.trim().toLowerCase() || null,
    os,
    family: familyOf([os.id, ...os.idLike]),
    packageManager: managerOf(raw.managers),
    arch: archOf(machine),
    cpus: Number(raw.cpus.trim().split('\n')[0]) || 1,
    memoryMiB: Math.floor((memory.get('MemTotal') ?? 0) / 1024),
    swapMiB: Math.floor((memory.get('SwapTotal') ?? 0) / 1024),
    kernel,
    cgroup: cgroupOf(raw.cgroup),
    init: raw.init.trim(),
    virtualization: raw.virtualization.trim() || 'none',
    uptimeSeconds: Math.floor(Number(raw.uptime.split(' ')[0]) || 0),
    clockOffsetMs: Math.round(Number(raw.clock.trim()) * 1000 - (askedAt + answeredAt) / 2),
    timezone: raw.timezone.trim() || null,
    selinux: selinuxOf(raw.selinux.trim()),
    disks: disksOf(raw.disks),
    interfaces: interfacesOf(raw.links, raw.addresses),
    routes: routesOf(raw.routes),
    listening: listeningOf(raw.listening),
    user: raw.user.trim(),
  }
}

/** The facts of a host nobody could ask: what stands there harms nobody who compares hosts. */
export function unknownFacts(name: string, arch: string | null): Facts {
  const none = Object.fromEntries(Object.keys(factScripts).map((fact) => [fact, ''])) as RawFacts
  return { ...parseFacts(none, 0, 0), hostname: name, arch: arch ?? 'amd64' }
}

const rows = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/))

function osOf(text: string): Facts['os'] {
  const values = new Map(
    text.split('\n').flatMap((line) => {
      const match = /^([A-Z_]+)=(?:"(.*)"|'(.*)'|(.*))$/.exec(line.trim())
      return match === null ? [] : [[match[1] as string, match[2] ?? match[3] ?? match[4] ?? ''] as const]
    }),
  )
  return {
    id: values.get('ID') || 'unknown',
    idLike: (values.get('ID_LIKE') ?? '').split(/\s+/).filter((id) => id !== ''),
    version: values.get('VERSION_ID') ?? '',
    name: values.get('PRETTY_NAME') || values.get('NAME') || 'unknown',
  }
}

const families: Readonly<Record<string, Facts['family']>> = {
  ...Object.fromEntries(['debian', 'ubuntu', 'kylin-desktop', 'uos', 'deepin'].map((id) => [id, 'debian'])),
  ...Object.fromEntries(
    [
      'rhel',
      'centos',
      'fedora',
      'rocky',
      'almalinux',
      'ol',
      'amzn',
      'openeuler',
      'anolis',
      'kylin',
      'opencloudos',
      'tencentos',
      'alinux',
    ].map((id) => [id, 'rhel']),
  ),
  ...Object.fromEntries(['suse', 'sles', 'opensuse', 'opensuse-leap', 'opensuse-tumbleweed'].map((id) => [id, 'suse'])),
}

function familyOf(ids: readonly string[]): Facts['family'] {
  for (const id of ids) {
    const family = families[id.toLowerCase()]
    if (family !== undefined) return family
  }
  return 'unknown'
}

function managerOf(text: string): Facts['packageManager'] {
  const found = text.split('\n').map((path) => path.slice(path.lastIndexOf('/') + 1))
  if (found.includes('apt-get')) return 'apt'
  return (['dnf', 'yum', 'zypper'] as const).find((name) => found.includes(name)) ?? null
}

const archOf = (machine: string): string => ({ x86_64: 'amd64', aarch64: 'arm64', arm64: 'arm64' })[machine] ?? machine

const memoryOf = (text: string): ReadonlyMap<string, number> =>
  new Map(rows(text).map(([name = '', value]) => [name.replace(':', ''), Number(value)]))

function cgroupOf(text: string): Facts['cgroup'] {
  if (text.startsWith('cgroup2fs')) return 'v2'
  return text.includes('unified') ? 'hybrid' : 'v1'
}

const selinuxOf = (text: string): Facts['selinux'] =>
  (({ '1': 'enforcing', '0': 'permissive', disabled: 'disabled' }) as const)[text as '1'] ?? 'absent'

// Mounts that hold no data of the host: shown by df, of no use to anyone who asks for disks.
const notDisks = new Set(['devtmpfs', 'overlay', 'squashfs', 'shm', 'efivarfs', 'ramfs'])
/** Memory under these is scratch space of the system or secrets of pods; anywhere else it takes the place of a disk, and fills like one. */
const scratch = /^\/(run|dev|sys|proc|tmp|var\/tmp|var\/lib\/kubelet\/pods)(\/|$)/
const isDisk = ([, type = '', , , , , mount = '']: readonly string[]): boolean =>
  !notDisks.has(type) && !(type === 'tmpfs' && scratch.test(mount))

function disksOf(text: string): Facts['disks'] {
  return rows(text)
    .slice(1)
    .filter((row) => isDisk(row) || text.trim().split('\n').length <= 2)
    .concat(
      rows(text)
        .slice(1)
        .filter((row) => row[6] === '/' && notDisks.has(row[1] ?? '')),
    )
    .map(([device = '', type = '', size, , free, , ...mount]) => ({
      mount: mount.join(' '),
      device,
      type,
      sizeMiB: Number(size),
      freeMiB: Number(free),
    }))
    .filter((disk, i, all) => all.findIndex((other) => other.mount === disk.mount) === i)
}

function interfacesOf(links: string, addresses: string): Facts['interfaces'] {
  const byName = new Map<string, string[]>()
  for (const [, name = '', family, address] of rows(addresses)) {
    if ((family === 'inet' || family === 'inet6') && address !== undefined) byName.set(name, [...(byName.get(name) ?? []), address])
  }
  return links.split('\n').flatMap((line) => {
    const match = /^\d+: ([^@:\s]+)\S*:? <([^>]*)> mtu (\d+)/.exec(line)
    if (match === null) return []
    const [, name = '', flags = '', mtu] = match
    const mac = / link\/\w+ ((?:[0-9a-f]{2}:)+[0-9a-f]{2})/.exec(line)?.[1] ?? ''
    const state = / state (\w+)/.exec(line)?.[1]
    // The loopback and tunnels never leave the state UNKNOWN.
    const up = flags.split(',').includes('UP') && state !== 'DOWN' && state !== 'LOWERLAYERDOWN'
    return [{ name, mac, mtu: Number(mtu), up, addresses: byName.get(name) ?? [] }]
  })
}

function routesOf(text: string): Facts['routes'] {
  return rows(text).flatMap((words) => {
    const after = (word: string): string | null => words[words.indexOf(word) + 1 || words.length] ?? null
    const typed = ['unicast', 'local', 'broadcast', 'multicast', 'anycast'].includes(words[0] ?? '')
    const device = after('dev')
    const destination = words[typed ? 1 : 0]
    return destination === undefined || device === null ? [] : [{ destination, via: after('via'), interface: device }]
  })
}

function listeningOf(text: string): Facts['listening'] {
  return text.split('\n').flatMap((line) => {
    const [protocol, , , , local = ''] = line.trim().split(/\s+/)
    if (protocol !== 'tcp' && protocol !== 'udp') return []
    const at = local.lastIndexOf(':')
    const process = /\(\("([^"]*)",pid=(\d+)/.exec(line)
    return [
      {
        protocol,
        address: local
          .slice(0, at)
          .replace(/^\[|\]$/g, '')
          .replace(/%.*$/, ''),
        port: Number(local.slice(at + 1)),
        process: process?.[1] ?? null,
        pid: process === null ? null : Number(process[2]),
      } as const,
    ]
  })
}
