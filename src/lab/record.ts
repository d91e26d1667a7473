import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../error/index.ts'
import { isErrno } from '../util/local-file.ts'
import { labsWithCgroups } from './cgroups.ts'
import { type LabPaths, labCacheDir, labPaths, runRoot } from './paths.ts'
import type { HostLife, HostRecord, LabRecord } from './types.ts'

/** A lab that is known to this machine: where it is, and what it is made of unless that was lost. */
export interface KnownLab {
  readonly paths: LabPaths
  readonly record: LabRecord | null
}

/** Writes JSON so that a reader sees the old or the new content, never half of it. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.${process.pid}.new`
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`)
  await rename(temporary, path)
}

/** The JSON in a file; null when there is no such file, or half of one: it says nothing. */
export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T
  } catch (error) {
    if (error instanceof SyntaxError || isErrno(error, 'ENOENT')) return null
    throw error
  }
}

/** Keeps what a lab is made of. */
export async function saveLab(paths: LabPaths, record: LabRecord): Promise<void> {
  await mkdir(dirname(paths.record), { recursive: true })
  await writeJson(paths.record, record)
}

/** The lab of that name, running or not. */
export async function findLab(name: string): Promise<KnownLab | null> {
  const pointer = await readJson<{ state: string }>(join(runRoot, name, 'lab.json'))
  const paths = labPaths(name, pointer?.state)
  if (!existsSync(paths.run) && !existsSync(paths.state) && !(await labsWithCgroups()).includes(name)) return null
  return { paths, record: await readJson<LabRecord>(paths.record) }
}

/** The lab of that name; an error when there is none or its record is lost. */
export async function requireLab(name: string): Promise<{ readonly paths: LabPaths; readonly record: LabRecord }> {
  const lab = await findLab(name)
  if (lab === null || lab.record === null) throw fail('KX_LAB_UNKNOWN', { name })
  return { paths: lab.paths, record: lab.record }
}

/** The host of that name; an error when the lab has none. */
export function requireHost(lab: LabRecord, host: string): HostRecord {
  const found = lab.hosts.find(({ name }) => name === host)
  if (found === undefined) throw fail('KX_LAB_HOST_UNKNOWN', { name: lab.name, host })
  return found
}

/** The names of all labs of this machine: those that run, those that left something, and those of this cache that a restart stopped. */
export async function labNames(): Promise<string[]> {
  const names = await Promise.all([directories(runRoot), directories(join(labCacheDir(), 'labs')), labsWithCgroups()])
  return [...new Set(names.flat())].sort()
}

/** What the supervisor last said about a host. */
export const readLife = async (paths: LabPaths, host: string): Promise<HostLife> =>
  (await readJson<HostLife>(paths.life(host))) ?? { state: 'off', boots: 0 }

async function directories(path: string): Promise<string[]> {
  if (!existsSync(path)) return []
  return (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}
