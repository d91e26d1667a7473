import { fail } from '../../src/error/index.ts'
import { labExec } from '../../src/lab/index.ts'

/** The state of a host as sections of named values: `snapshot.files['/etc/hosts']`. */
export type HostSnapshot = Readonly<Record<SectionName, Readonly<Record<string, string>>>>

/** One difference between two snapshots; null is absence. */
export interface SnapshotChange {
  readonly section: SectionName
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

type AskedSection = keyof typeof sections
type SectionName = AskedSection | 'contents'

/**
 * Paths a snapshot does not look at, each because it changes while nobody does anything:
 * kernel filesystems and scratch space, logs, caches, the copies that user tools keep of what they change,
 * the mark sudo leaves at a user's first login,
 * and what has a section of its own (apt and dpkg: packages, /lib/modules: modules).
 */
const volatilePaths = [
  ...['/proc', '/sys', '/dev', '/run', '/tmp', '/var/tmp'],
  ...['/var/log', '/var/cache', '/etc/ld.so.cache', '/var/lib/apt', '/var/lib/dpkg'],
  ...['passwd', 'shadow', 'group', 'gshadow', 'subuid', 'subgid'].map((name) => `/etc/${name}-`),
  // Its current files are looked at; these are the last few before them.
  ...['hashfile', 'registry'].map((name) => `/var/lib/ucf/${name}.[0-9]`),
  ...['/var/lib/systemd/random-seed', '/var/lib/systemd/timers', '/usr/lib/modules', '/srv/packages', '/root/.bash_history'],
  '/home/*/.sudo_as_admin_successful',
]

/** Kernel parameters that are counters, clocks or random. */
const volatileSysctl =
  /^(kernel\.(random\.|ns_last_pid|pty\.nr|perf_event_max_sample_rate|hung_task_detect_count)|fs\.(quota\.|dentry-state|file-nr|inode-nr|inode-state|aio-nr)|net\.netfilter\.nf_conntrack_count|vm\.stat)/

/** Units that come and go with logins or when they are asked, not with what is installed; and targets that, once reached, stay so until the next boot. */
const passingUnit =
  /^(network-online\.target|time-(set|sync)\.target|systemd-(hostnamed|timedated)\.service|session-.*\.scope|user@.*\.service|user-runtime-dir@.*\.service|user-.*\.slice|user\.slice|run-user-.*\.mount)$/

/** Processes that come and go with logins, or end by themselves when nobody asks them any more. */
const loginProcess = /^(\S+ \S*systemd-(hostnamed|timedated)$|\S+ sshd: (?!.*\[listener\])|\S+ \(sd-pam\)|\S+ \S*systemd --user)/

const prune = volatilePaths.map((path) => `-path '${path}'`).join(' -o ')

/** How each section is asked for, and how a line of the answer becomes a name and a value. */
const sections = {
  files: {
    ask: `find / \\( ${prune} \\) -prune -o -printf '%y %m %U:%G %l\\t%i %C@ %s\\t%p\\n'`,
    read: (line) => {
      const { path, attributes } = readFile(line)
      return [path, attributes]
    },
  },
  unitFiles: { ask: 'systemctl list-unit-files --no-legend --no-pager', read: (line) => splitAt(line, /\s+/) },
  units: {
    // A unit that is merely loaded is not a state of the host: systemd forgets it when it likes.
    ask: 'systemctl list-units --all --plain --no-legend --no-pager',
    read: (line) => {
      const [unit = '', , active = ''] = line.split(/\s+/)
      return passingUnit.test(unit) || unit.endsWith('.device') || active === 'inactive' ? null : [unit, active]
    },
  },
  sysctls: { ask: 'sysctl -a 2>/dev/null', read: (line) => (volatileSysctl.test(line) ? null : splitAt(line, ' = ')) },
  modules: { ask: 'cut -d" " -f1 /proc/modules 2>/dev/null', read: (line) => [line, 'loaded'] },
  packages: {
    ask: `dpkg-query -W -f '\${Package}:\${Architecture}\\t\${Version} \${db:Status-Abbrev}\\n'`,
    read: (line) => splitAt(line, '\t'),
  },
  users: { ask: 'getent passwd; getent group | sed "s/^/group /"', read: (line) => splitAt(line, ':') },
  mounts: {
    ask: 'cat /proc/self/mountinfo',
    read: (line) => {
      const [, , , root, point = '', options, ...rest] = line.split(' ')
      const end = rest.slice(rest.indexOf('-') + 1)
      // What a container's own start gives a new name each time, and what an overlay says of itself only the first time.
      const text = `${root} ${options} ${end.join(' ')}`.replace(/^\/\.#proc-\S+/, '/proc').replace(/,uuid=on$/, '')
      return point.startsWith('/run/user/') ? null : [point, text]
    },
  },
  links: {
    ask: 'ip -o -d link; ip -o address',
    read: (line) => {
      const [, name = '', rest = ''] = /^\d+: (\S+?)(?:@\S+)?:?\s+(.*)$/.exec(line) ?? []
      const address = /^(inet6? \S+)/.exec(rest)?.[1]
      return address === undefined
        ? [name, rest.replace(/\s(qlen|numtxqueues|link-netnsid|portid) \S+/g, '')]
        : [`${name} ${address}`, 'address']
    },
  },
  routes: {
    ask: 'for f in -4 -6; do ip $f route show table all; ip $f rule | sed "s/^/rule /"; done',
    read: (line) => [line.replace(/ expires \S+/, '').trim(), 'present'],
  },
  packetFilter: {
    ask: 'for f in iptables ip6tables; do command -v $f-save >/dev/null && $f-save | sed "s/^/$f /"; done; nft -s list ruleset | sed "s/^/nft /"',
    read: (line) => (/^ip6?tables #/.test(line) ? null : [line.replace(/\s*\[\d+:\d+\]$/, ''), 'present']),
  },
  processes: { ask: 'ps -ewwo pid,ppid,user:32,args --no-headers', read: (line) => [line, 'running'] },
} as const satisfies Record<string, Section>

interface Section {
  readonly ask: string
  readonly read: (line: string) => readonly [name: string, value: string] | null
}

/** A host that still boots, or whose addresses are still being checked for duplicates, changes by itself. */
const settle = `systemctl is-system-running --wait >/dev/null
for i in $(seq 50); do [ -n "$(ip -o address show tentative)" ] || break; sleep 0.1; done`

const divider = '\u0001'

/**
 * Hashes that were computed before, by the path, inode, time of last change and size they were computed for.
 * Hosts share the files of the root image with all of these, so that one host's snapshot serves the others.
 */
const knownHashes = new Map<string, string>()

/** Takes a snapshot of a host, once it has finished booting. The snapshot itself leaves nothing behind. */
export async function snapshotHost(lab: { readonly name: string }, host: string): Promise<HostSnapshot> {
  const asks = Object.entries(sections).map(([name, { ask }]) => `printf '${divider}${name}\\n'; { ${ask}; } || true`)
  const script = [settle, 'cd /', `echo "self $$"`, ...asks].join('\n')
  const { code, stdout, stderr } = await labExec(lab.name, host, ['sh'], { input: script })
  if (code !== 0) throw fail('KX_LAB_COMMAND', { command: `snapshot of ${host}`, code }, { seen: stderr })
  const [head = '', ...parts] = stdout.split(divider)
  const snapshot: Partial<Record<SectionName, Record<string, string>>> = {}
  for (const part of parts) {
    const [name = '', ...lines] = part.split('\n')
    snapshot[name as AskedSection] = readSection(name as AskedSection, lines.filter(Boolean), Number(head.split(' ')[1]))
    if (name === 'files') snapshot.contents = await hashFiles(lab, host, lines.filter((line) => line.startsWith('f ')).map(readFile))
  }
  return snapshot as HostSnapshot
}

/** All differences between two snapshots of a host; empty when it is as it was. */
export function diffSnapshots(before: HostSnapshot, after: HostSnapshot): SnapshotChange[] {
  return (Object.keys(before) as SectionName[]).flatMap((section) => {
    const [a, b] = [before[section], after[section]]
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
    return names.filter((name) => a[name] !== b[name]).map((name) => ({ section, name, before: a[name] ?? null, after: b[name] ?? null }))
  })
}

interface FoundFile {
  readonly path: string
  readonly attributes: string
  readonly stamp: string
}

function readFile(line: string): FoundFile {
  const [attributes = '', stamp = '', ...path] = line.split('\t')
  return { attributes: attributes.trim(), path: path.join('\t'), stamp: `${path.join('\t')} ${stamp}` }
}

/** The sha256 of every file, computed only where the file is not known to be one that was hashed before. */
async function hashFiles(lab: { readonly name: string }, host: string, files: readonly FoundFile[]): Promise<Record<string, string>> {
  const unknown = files.filter(({ stamp }) => !knownHashes.has(stamp)).map(({ path }) => path)
  const { stdout } = await labExec(lab.name, host, ['xargs', '-0', '-r', '-P2', '-n400', 'sha256sum'], { input: unknown.join('\0') })
  const fresh = new Map(stdout.split('\n').map((line) => [line.slice(66), line.slice(0, 64)]))
  const hashes: Record<string, string> = {}
  for (const { path, stamp } of files) {
    const hash = fresh.get(path) ?? knownHashes.get(stamp)
    // A file that is gone by now has no content; that it was there is in the section of files.
    if (hash === undefined) continue
    knownHashes.set(stamp, hash)
    hashes[path] = hash
  }
  return hashes
}

function readSection(name: AskedSection, lines: readonly string[], self: number): Record<string, string> {
  const found: Record<string, string> = {}
  for (const line of name === 'processes' ? processLines(lines, self) : lines) {
    const entry = sections[name].read(line)
    if (entry === null) continue
    const [key, value] = entry
    // What occurs twice (two equal processes, a mount over a mount) is told apart by its number.
    let unique = key
    for (let n = 2; unique in found; n++) unique = `${key} (${n})`
    found[unique] = value
  }
  return found
}

/** The processes without those of the snapshot itself and of logins, as `user arguments`. */
function processLines(lines: readonly string[], self: number): string[] {
  const all = lines.map((line) => {
    const [, pid, ppid, rest = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return { pid: Number(pid), ppid: Number(ppid), text: rest.replace(/\s+/, ' ').replace(/ \d+ of \S+ startups$/, '') }
  })
  const own = new Set([self])
  for (const { pid, ppid } of all) if (own.has(ppid)) own.add(pid)
  return all.filter(({ pid, text }) => !own.has(pid) && !loginProcess.test(text)).map(({ text }) => text)
}

function splitAt(line: string, separator: string | RegExp, order: 'name-first' | 'value-first' = 'name-first'): readonly [string, string] {
  const [first = '', ...rest] = line.split(separator)
  const second = rest.join(typeof separator === 'string' ? separator : ' ')
  return order === 'name-first' ? [first.trim(), second.trim()] : [second, first.trim()]
}
