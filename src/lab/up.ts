import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../error/index.ts'
import { withFileLock } from '../resource/file-lock.ts'
import { eventually } from '../util/eventually.ts'
import { minutes } from '../util/time.ts'
import { requireLabCapability } from './capability.ts'
import { sweepRuntime } from './down.ts'
import { launchSupervisor, supervisorOf } from './launch.ts'
import { checkLabName, type LabPaths, labPaths, machineLock, runRoot } from './paths.ts'
import { ensurePrerequisites } from './prerequisites.ts'
import { findLab, readJson, readLife, requireLab, saveLab, writeJson } from './record.ts'
import { ensureRootImage } from './root-image.ts'
import { shapeLab, wantedHosts } from './shape.ts'
import { labStatus } from './status.ts'
import { presetSysctls, readSysctls } from './sysctls.ts'
import type { HostState, LabOptions, LabRecord, LabStatus, OnProgress } from './types.ts'

/** The lab that commands mean when they name none. */
export const defaultLabName = 'default'

/**
 * Brings a lab up and gives its state once every host lets users in by SSH.
 * A lab whose supervisor is gone (killed, or the machine was restarted) comes up again with the disks it has, as after a power loss.
 */
export async function labUp(options: LabOptions = {}, onProgress: OnProgress = () => undefined): Promise<LabStatus> {
  const name = options.name ?? defaultLabName
  checkLabName(name)
  requireLabCapability()
  shapeLab(name, options, '')
  await ensurePrerequisites(onProgress)
  const rootImage = await ensureRootImage(onProgress)
  await withFileLock(machineLock, {}, () => register(name, options, rootImage))
  const { record } = await requireLab(name)
  await hostsRunning(
    name,
    record.hosts.map((host) => host.name),
    onProgress,
  )
  return labStatus(name)
}

/** Waits until these hosts run; a host that fails, or a supervisor that is gone, ends the waiting with an error. */
export async function hostsRunning(name: string, hosts: readonly string[], onProgress: OnProgress, afterBoot = 0): Promise<void> {
  const { paths } = await requireLab(name)
  const told = new Map<string, HostState>()
  const done = await eventually(
    async () => {
      const lives = await Promise.all(hosts.map(async (host) => ({ host, ...(await readLife(paths, host)) })))
      for (const { host, state, why = '' } of lives) {
        if (told.get(host) !== state) onProgress({ type: 'host', host, state })
        told.set(host, state)
        if (state === 'failed') throw fail('KX_LAB_BOOT', { host, why, log: paths.host(host).console })
      }
      if (lives.every(({ state, boots }) => state === 'running' && boots > afterBoot)) return true
      if ((await supervisorOf(paths)) === null) throw fail('KX_LAB_SUPERVISOR', { name, log: paths.supervisorLog })
      return null
    },
    { every: 50, within: minutes(5) },
  )
  if (done !== null) return
  const late = hosts.find((host) => told.get(host) !== 'running') ?? hosts.join(', ')
  throw fail('KX_LAB_BOOT', { host: late, why: 'it took more than 5 minutes', log: paths.supervisorLog })
}

// With the machine's lock held: no other kubexm registers or removes a lab meanwhile.
async function register(name: string, options: LabOptions, rootImage: string): Promise<void> {
  const known = await findLab(name)
  if (known !== null && (await supervisorOf(known.paths)) !== null) throw fail('KX_LAB_EXISTS', { name })
  if (known !== null) await sweepRuntime(name, known.paths)
  const paths = known?.paths ?? labPaths(name)
  const record = known?.record ?? (await freshRecord(name, options, rootImage, paths))
  if (options.hosts !== undefined && wantedHosts(options.hosts).length !== record.hosts.length) {
    throw fail('KX_LAB_SHAPE', { what: `lab ${name} already has ${record.hosts.length} hosts; take it down first` })
  }
  if (!existsSync(record.rootImage)) throw fail('KX_LAB_SHAPE', { what: `the root image of lab ${name} is gone; take it down first` })
  await saveLab(paths, record)
  await rememberSysctls()
  await mkdir(join(paths.run, 'hosts'), { recursive: true })
  await writeJson(paths.pointer, { state: paths.state })
  await presetSysctls()
  await launchSupervisor(paths, name)
}

async function freshRecord(name: string, options: LabOptions, rootImage: string, paths: LabPaths): Promise<LabRecord> {
  await rm(paths.state, { recursive: true, force: true })
  return shapeLab(name, options, rootImage)
}

/** The machine as it was before its first lab: put back after its last. */
async function rememberSysctls(): Promise<void> {
  const file = join(runRoot, 'sysctls.json')
  await mkdir(runRoot, { recursive: true })
  if ((await readJson(file)) === null) await writeJson(file, await readSysctls())
}
