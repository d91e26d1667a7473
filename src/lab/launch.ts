import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { fail } from '../error/index.ts'
import type { LabPaths } from './paths.ts'
import { isAlive, startTimeOf } from './processes.ts'
import { readJson, writeJson } from './record.ts'
import type { LabOwner } from './types.ts'

/** Starts the supervisor of a lab as a process of its own, which outlives this one. */
export async function launchSupervisor(paths: LabPaths, lab: string): Promise<void> {
  const log = openSync(paths.supervisorLog, 'a')
  const child = spawn(process.execPath, supervisorArguments(lab), {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: supervisorEnvironment(),
  })
  closeSync(log)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.on('error', reject).on('spawn', resolve)
  await promise
  child.unref()
  const startTime = child.pid === undefined ? null : startTimeOf(child.pid)
  if (child.pid === undefined || startTime === null) throw fail('KX_LAB_SUPERVISOR', { name: lab, log: paths.supervisorLog })
  await writeJson(paths.supervisorPid, { pid: child.pid, startTime })
}

/** The process that supervises a lab now; null when there is none. */
export async function supervisorOf(paths: LabPaths): Promise<LabOwner | null> {
  const owner = await readJson<LabOwner>(paths.supervisorPid)
  return owner !== null && isAlive(owner) ? owner : null
}

/** From source the supervisor has a file of its own; a bundle or single binary is asked to play that part. */
function supervisorArguments(lab: string): string[] {
  if (isSea()) return ['lab', 'supervise', lab]
  if (import.meta.url.endsWith('.ts')) return [fileURLToPath(new URL('./supervisor-main.ts', import.meta.url)), lab]
  return [process.argv[1] ?? '', 'lab', 'supervise', lab]
}

function supervisorEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...environment } = process.env
  return { ...environment, PATH: `${environment.PATH ?? ''}:/usr/sbin:/sbin` }
}
