import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../util/eventually.ts'
import { seconds } from '../util/time.ts'
import { mark } from './paths.ts'

/** One mounted cgroup hierarchy: each controller of version 1 has its own, version 2 has one for all. */
export interface Hierarchy {
  readonly path: string
  readonly version: 1 | 2
  /** Its controllers, and `name=…` of one without any; empty for version 2. */
  readonly names: readonly string[]
}

const mountFlags = new Set(['rw', 'ro', 'relatime', 'noatime', 'nosuid', 'nodev', 'noexec'])

/** The hierarchies mounted on a machine, from its /proc/mounts. */
export function hierarchiesIn(mounts: string): Hierarchy[] {
  const found = new Map<string, Hierarchy>()
  for (const line of mounts.split('\n')) {
    const [, path = '', type, options = ''] = line.split(' ')
    if ((type !== 'cgroup' && type !== 'cgroup2') || !path.startsWith('/sys/fs/cgroup') || !options.split(',').includes('rw')) continue
    found.set(
      path,
      type === 'cgroup'
        ? { path, version: 1, names: options.split(',').filter((name) => !mountFlags.has(name)) }
        : { path, version: 2, names: [] },
    )
  }
  return [...found.values()]
}

const hierarchies = async (): Promise<Hierarchy[]> => hierarchiesIn(await readFile('/proc/mounts', 'utf8'))

interface Limits {
  readonly memoryMiB?: number
  readonly cpus?: number
}

/** Makes the cgroups of one member of a lab (a host, or the supervisor) and gives their paths, one a hierarchy. */
export async function makeCgroups(lab: string, member: string, limits: Limits = {}): Promise<string[]> {
  const made: string[] = []
  for (const { path, version } of await hierarchies()) {
    const parent = join(path, mark(lab))
    const own = join(parent, member)
    if (version === 2) await makeUnified(path, parent, own)
    else {
      await makeLegacy(path, parent)
      await makeLegacy(parent, own)
    }
    await limit(own, limits)
    made.push(own)
  }
  return made
}

/** The cgroups a process is in, as paths. `membership` is its /proc/<pid>/cgroup. */
export function cgroupsIn(membership: string, mounted: readonly Hierarchy[]): string[] {
  return membership.split('\n').flatMap((line) => {
    const [, names = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    const hierarchy = mounted.find((one) => (names === '' ? one.version === 2 : one.names.includes(names.split(',')[0] ?? '')))
    return path === '' || hierarchy === undefined ? [] : [join(hierarchy.path, path)]
  })
}

/** The cgroups a process is in now. */
export const cgroupsOf = async (pid: number): Promise<string[]> =>
  cgroupsIn(await readFile(`/proc/${pid}/cgroup`, 'utf8'), await hierarchies())

/** Moves this process into these cgroups. */
export async function enterCgroups(paths: readonly string[]): Promise<void> {
  for (const path of paths) await writeFile(join(path, 'cgroup.procs'), '0')
}

/** Kills what runs in the cgroups of a lab, or of one member of it, and removes them. Gives the pids that would not die. */
export async function removeCgroups(lab: string, member = ''): Promise<number[]> {
  const roots = (await hierarchies()).map(({ path }) => join(path, mark(lab), member))
  const gone = await eventually(
    async () => {
      const pids = (await Promise.all(roots.map(processesUnder))).flat()
      for (const pid of new Set(pids)) kill(pid)
      if (pids.length > 0) return null
      const removed = await Promise.all(roots.map(removeTree))
      return removed.every(Boolean) || null
    },
    { every: 20, within: seconds(15) },
  )
  return gone === null ? [...new Set((await Promise.all(roots.map(processesUnder))).flat())] : []
}

/** The names of labs that have cgroups now. */
export async function labsWithCgroups(): Promise<string[]> {
  const prefix = mark('')
  const names = (await Promise.all((await hierarchies()).map(({ path }) => readdir(path)))).flat()
  return [...new Set(names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)))]
}

/** The memory a lab uses now, page cache included; null where the kernel does not count it. */
export async function memoryOf(lab: string): Promise<number | null> {
  for (const { path } of await hierarchies()) {
    for (const file of ['memory.usage_in_bytes', 'memory.current']) {
      const counter = join(path, mark(lab), file)
      if (existsSync(counter)) return Number(await readFile(counter, 'utf8'))
    }
  }
  return null
}

async function makeLegacy(parent: string, own: string): Promise<void> {
  await mkdir(own, { recursive: true })
  if (!existsSync(join(own, 'cpuset.cpus'))) return
  // A cpuset starts empty, and nothing can enter an empty one.
  for (const file of ['cpuset.cpus', 'cpuset.mems']) await writeFile(join(own, file), await readFile(join(parent, file), 'utf8'))
  await writeFile(join(own, 'cgroup.clone_children'), '1')
}

async function makeUnified(root: string, parent: string, own: string): Promise<void> {
  await mkdir(own, { recursive: true })
  const controllers = (await readFile(join(root, 'cgroup.controllers'), 'utf8')).trim().split(' ').filter(Boolean)
  for (const directory of [root, parent]) {
    for (const controller of controllers) {
      await tolerate(writeFile(join(directory, 'cgroup.subtree_control'), `+${controller}`), ['EBUSY', 'ENOENT', 'EINVAL', 'EOPNOTSUPP'])
    }
  }
}

async function limit(own: string, { memoryMiB, cpus }: Limits): Promise<void> {
  if (memoryMiB !== undefined) {
    const file = ['memory.limit_in_bytes', 'memory.max'].map((name) => join(own, name)).find((path) => existsSync(path))
    if (file !== undefined) await writeFile(file, String(memoryMiB * 1024 * 1024))
  }
  const cpuset = join(own, 'cpuset.cpus')
  if (cpus !== undefined && existsSync(cpuset)) await writeFile(cpuset, cpus === 1 ? '0' : `0-${cpus - 1}`)
}

async function processesUnder(directory: string): Promise<number[]> {
  const found: number[] = []
  for (const group of await groupsUnder(directory)) {
    const text = await tolerate(readFile(join(group, 'cgroup.procs'), 'utf8'), ['ENOENT', 'ENODEV', 'EOPNOTSUPP'])
    found.push(...(text ?? '').split('\n').filter(Boolean).map(Number))
  }
  return found
}

async function removeTree(directory: string): Promise<boolean> {
  for (const group of (await groupsUnder(directory)).reverse()) await tolerate(rmdir(group), ['ENOENT', 'EBUSY', 'ENOTEMPTY'])
  return !existsSync(directory)
}

/** The cgroup and all below it, parents first. */
async function groupsUnder(directory: string): Promise<string[]> {
  const entries = await tolerate(readdir(directory, { withFileTypes: true }), ['ENOENT', 'ENODEV'])
  if (entries === null) return []
  const below = await Promise.all(entries.filter((entry) => entry.isDirectory()).map((entry) => groupsUnder(join(directory, entry.name))))
  return [directory, ...below.flat()]
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, ['ESRCH'])) throw error
  }
}

/** The value, or null for the named errors: cgroups come and go while they are looked at. */
async function tolerate<T>(promise: Promise<T>, codes: readonly string[]): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    if (hasCode(error, codes)) return null
    throw error
  }
}

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
