import { homedir } from 'node:os'
import { join } from 'node:path'
import { fail } from '../error/index.ts'

/** Where kubexm keeps what can be made again: `KUBEXM_CACHE`, or `~/.cache/kubexm`. */
export const cacheDir = (): string => process.env.KUBEXM_CACHE ?? join(homedir(), '.cache', 'kubexm')

/** The cache of the lab: root images and the disks of the hosts. */
export const labCacheDir = (): string => join(cacheDir(), 'lab')

/** What exists only while labs run; names of labs are unique on a machine, whatever cache they use. */
export const runRoot = '/run/kubexm-lab'

/** Held while a lab is registered or taken down. It outlives the labs: a lock file that comes and goes cannot be locked safely. */
export const machineLock = '/run/lock/kubexm-lab.lock'

/** The mark on everything of a lab that has a name in the kernel: cgroups and machine names. */
export const mark = (lab: string): string => `kubexm-lab.${lab}`

/** The places of one lab. */
export interface LabPaths {
  /** On a real disk: survives a restart of the machine. */
  readonly state: string
  readonly record: string
  readonly keys: string
  readonly knownHosts: string
  readonly sshConfig: string
  readonly supervisorLog: string
  /** Under /run: pids, socket, namespaces. */
  readonly run: string
  readonly pointer: string
  readonly supervisorPid: string
  readonly socket: string
  netns(of: string): string
  life(host: string): string
  host(host: string): HostPaths
}

/** The disks and logs of one host. */
export interface HostPaths {
  readonly dir: string
  readonly upper: string
  readonly work: string
  /** Mount point of the overlay, in a mount namespace of the host's own. */
  readonly root: string
  readonly varLib: string
  readonly console: string
}

/** All places of the lab of that name; `state` when it was made under another cache directory. */
export function labPaths(lab: string, state: string = join(labCacheDir(), 'labs', lab)): LabPaths {
  const run = join(runRoot, lab)
  return {
    state,
    record: join(state, 'lab.json'),
    keys: join(state, 'keys'),
    knownHosts: join(state, 'known_hosts'),
    sshConfig: join(state, 'ssh_config'),
    supervisorLog: join(state, 'supervisor.log'),
    run,
    pointer: join(run, 'lab.json'),
    supervisorPid: join(run, 'supervisor.json'),
    socket: join(run, 'control.sock'),
    netns: (of) => join(run, 'net', of),
    life: (host) => join(run, 'hosts', `${host}.json`),
    host: (host) => {
      const dir = join(state, 'hosts', host)
      return {
        dir,
        upper: join(dir, 'upper'),
        work: join(dir, 'work'),
        root: join(dir, 'root'),
        varLib: join(dir, 'var-lib'),
        console: join(dir, 'console.log'),
      }
    },
  }
}

const labNameLimit = 24
// A host's name is also that of its port on the lab's switch, and the kernel allows 15 characters there.
const hostNameLimit = 15

/** Refuses a name that could not be the name of a lab. */
export const checkLabName = (name: string): void => checkName(name, 'lab', labNameLimit)

/** Refuses a name that could not be the name of a host. */
export const checkHostName = (name: string): void => checkName(name, 'host', hostNameLimit)

function checkName(name: string, what: string, limit: number): void {
  if (name.length > limit || !/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name)) throw fail('KX_LAB_NAME', { name, what, limit })
}
