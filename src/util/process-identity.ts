import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Names this process so that no other one, on whatever machine and at whatever time, is taken for it. */
export const processIdentity = (): string => [...placeOf(), process.pid, startTimeOf(process.pid)].join(' ')

/** Whether a process is known to have ended: never said of one on another machine, or in another container. */
export function isGone(identity: string): boolean {
  const [machine, namespace, boot, pid, started] = identity.split(' ')
  const [ownMachine, ownNamespace, ownBoot] = placeOf()
  if (machine !== ownMachine || namespace !== ownNamespace) return false
  // The machine was started anew since.
  if (boot !== ownBoot) return true
  if (!exists(Number(pid))) return true
  // Numbers of processes are used again, together with their start they are not.
  return startTimeOf(Number(pid)) !== started
}

const placeOf = (): readonly [string, string, string] => [
  hostname(),
  read(() => readlinkSync('/proc/self/ns/pid')),
  read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
]

function startTimeOf(pid: number): string {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The second field is the command in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? 'ended' : (fields[19] ?? 'unknown')
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** What the kernel says; where it is not Linux, less is known. */
function read(look: () => string): string {
  try {
    return look()
  } catch {
    return 'unknown'
  }
}
