import { readFileSync } from 'node:fs'
import type { LabOwner } from './types.ts'

/** When a process was started, in the kernel's ticks; null when there is no such process. Pids are used again, this pair is not. */
export function startTimeOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The second field is the command in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? null : (fields[19] ?? null)
}

/** This very process, as the owner of something. */
export const thisProcess = (): LabOwner => ({ pid: process.pid, startTime: startTimeOf(process.pid) ?? '' })

/** Whether that process, and not a later one with its pid, still runs. */
export const isAlive = ({ pid, startTime }: LabOwner): boolean => startTimeOf(pid) === startTime

/** The pid 1 of the host that this systemd-nspawn runs, once there is one. */
export function leaderOf(nspawn: number): number | null {
  for (const child of (read(`/proc/${nspawn}/task/${nspawn}/children`) ?? '').split(' ').filter(Boolean)) {
    const status = read(`/proc/${child}/status`) ?? ''
    if (/^NSpid:(\s\d+)+\s1$/m.test(status)) return Number(child)
  }
  return null
}

/** Whether something listens on that TCP port in the process's network namespace. */
export function listens(pid: number, port: number): boolean {
  const local = new RegExp(`^\\s*\\d+: [0-9A-F]+:${port.toString(16).toUpperCase().padStart(4, '0')} [0-9A-F]+:0000 0A`, 'm')
  return ['tcp', 'tcp6'].some((table) => local.test(read(`/proc/${pid}/net/${table}`) ?? ''))
}

/** The text of a file under /proc; null when its process is gone. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
