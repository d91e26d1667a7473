import { fail } from '../error/index.ts'
import { cgroupsOf } from './cgroups.ts'
import { attempt, type CommandResult } from './command.ts'
import { readLife, requireHost, requireLab } from './record.ts'
import { labNetns } from './status.ts'

// Entering a host's namespaces does not take away what the host may not do: the clock is the machine's own.
const withoutClock = ['setpriv', '--bounding-set=-sys_time', '--inh-caps=-sys_time']

/** The command line that runs `argv` as root on a host, past its network: works when sshd or the network does not. */
export async function execCommand(name: string, host: string, argv: readonly string[]): Promise<string[]> {
  const { paths, record } = await requireLab(name)
  requireHost(record, host)
  const { state, leader } = await readLife(paths, host)
  if (leader === undefined) throw fail('KX_LAB_HOST_STATE', { host, state })
  const environment = [
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'HOME=/root',
    'USER=root',
    `TERM=${process.env.TERM ?? 'dumb'}`,
    'LANG=C.UTF-8',
  ]
  // In the cgroups of the host's pid 1: what runs on a host has the host's limits, and ends with it.
  const enter = ['sh', '-ec', `${(await cgroupsOf(leader)).map((path) => `echo $$ >'${path}/cgroup.procs'`).join('\n')}\nexec "$@"`, 'sh']
  return [
    ...enter,
    ...withoutClock,
    'nsenter',
    '--target',
    String(leader),
    '--all',
    '--wdns=/root',
    '--',
    'env',
    '-i',
    ...environment,
    ...argv,
  ]
}

/** Runs a command as root on a host, past its network, and gives how it ended. */
export async function labExec(
  name: string,
  host: string,
  argv: readonly string[],
  options: { readonly input?: string } = {},
): Promise<CommandResult> {
  return attempt(await execCommand(name, host, argv), options)
}

/** The command line that opens an SSH session to a host from inside the lab's network, with the lab's key and known hosts. */
export async function sshCommand(name: string, host: string, argv: readonly string[] = []): Promise<string[]> {
  const { paths, record } = await requireLab(name)
  requireHost(record, host)
  return ['nsenter', `--net=${labNetns(name)}`, 'ssh', '-F', paths.sshConfig, host, ...argv]
}
