import { existsSync } from 'node:fs'
import { readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fail } from '../error/index.ts'
import { withFileLock } from '../resource/file-lock.ts'
import { labsWithCgroups, removeCgroups } from './cgroups.ts'
import { attempt, run } from './command.ts'
import { supervisorOf } from './launch.ts'
import { removeNamespaces } from './network.ts'
import { type LabPaths, machineLock, mark, runRoot } from './paths.ts'
import { isAlive } from './processes.ts'
import { findLab, labNames, readJson } from './record.ts'
import { restoreSysctls, type Sysctls } from './sysctls.ts'

/** Takes a lab down: hosts, disks and all that it has in the kernel. Works as well on what a killed `up` or supervisor left. */
export async function labDown(name: string): Promise<void> {
  await withFileLock(machineLock, {}, async () => {
    const lab = await findLab(name)
    if (lab === null) throw fail('KX_LAB_UNKNOWN', { name })
    await sweepRuntime(name, lab.paths)
    await endSwap(lab.paths.state)
    await run(['rm', '-rf', lab.paths.state])
    await leaveMachineAsItWas(name)
  })
}

/** Takes down the labs whose owner is dead; those without an owner are somebody's own. Gives their names. */
export async function sweepOrphans(): Promise<string[]> {
  const swept: string[] = []
  for (const name of await labNames()) {
    const owner = (await findLab(name))?.record?.owner
    if (owner === undefined || isAlive(owner)) continue
    await labDown(name)
    swept.push(name)
  }
  return swept
}

/** Ends all that a lab has in the kernel and leaves its disks; everything is found by the lab's own marks. */
export async function sweepRuntime(name: string, paths: LabPaths): Promise<void> {
  // First the supervisor, which would start hosts again. It may not have reached its cgroup yet.
  const supervisor = await supervisorOf(paths)
  if (supervisor !== null) process.kill(supervisor.pid, 'SIGKILL')
  const alive = [...(await removeCgroups(name, 'supervisor')), ...(await removeCgroups(name))]
  if (alive.length > 0) throw fail('KX_LAB_LEFTOVERS', { name, what: `processes ${alive.join(', ')} do not end` })
  await removeNamespaces(paths)
  await removePropagation(name)
  await rm(paths.run, { recursive: true, force: true })
}

/** Swap that a host turned on is the machine's and outlives the host; its file cannot be removed while it is in use. */
async function endSwap(directory: string): Promise<void> {
  const areas = (await readFile('/proc/swaps', 'utf8').catch(() => '')).split('\n').slice(1)
  const names = new Set(areas.flatMap((line) => (line === '' ? [] : [basename(line.split(/\s/)[0] ?? '')])))
  if (names.size === 0) return
  // The kernel tells only the path the host knew: the file is looked for by its name.
  for (const path of await readdir(directory, { recursive: true })) {
    if (names.has(basename(path))) await attempt(['swapoff', join(directory, path)])
  }
}

/** systemd-nspawn keeps a directory for each machine, which stays behind when it is killed. */
async function removePropagation(name: string): Promise<void> {
  const directory = '/run/systemd/nspawn/propagate'
  if (!existsSync(directory)) return
  for (const machine of await readdir(directory)) {
    if (machine.startsWith(`${mark(name)}.`)) await rm(join(directory, machine), { recursive: true, force: true })
  }
}

/** After the last lab the machine's kernel parameters are put back, and the directories that only labs need are removed. */
async function leaveMachineAsItWas(name: string): Promise<void> {
  const others = (await readdir(runRoot, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory())
  if (others.length > 0 || (await labsWithCgroups()).length > 0) return
  const before = await readJson<Sysctls>(join(runRoot, 'sysctls.json'))
  const stuck = before === null ? [] : await restoreSysctls(before)
  await rm(runRoot, { recursive: true, force: true })
  for (const directory of ['/run/systemd/nspawn/propagate', '/run/systemd/nspawn']) await rmdir(directory).catch(() => undefined)
  if (stuck.length > 0) throw fail('KX_LAB_LEFTOVERS', { name, what: `the kernel refuses ${stuck.join(', ')} back` })
}
