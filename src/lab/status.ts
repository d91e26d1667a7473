import { fail } from '../error/index.ts'
import { memoryOf } from './cgroups.ts'
import { supervisorOf } from './launch.ts'
import { switchName } from './network.ts'
import { labPaths } from './paths.ts'
import { startTimeOf } from './processes.ts'
import { findLab, labNames, readLife } from './record.ts'
import type { HostLife, HostStatus, LabStatus, NetworkName } from './types.ts'

/** The network namespace of a lab: run kubexm there with `nsenter --net=<path>` and it sees the hosts, and nothing else. */
export const labNetns = (name: string, network: NetworkName = 'lab'): string => labPaths(name).netns(switchName(network))

/** How a lab is. */
export async function labStatus(name: string): Promise<LabStatus> {
  const lab = await findLab(name)
  if (lab === null) throw fail('KX_LAB_UNKNOWN', { name })
  // A lab whose record is lost has no hosts to show, but it is there and can be taken down.
  const { paths, record } = lab
  const hosts = await Promise.all(
    (record?.hosts ?? []).map(async ({ name: host, legs, cut, uuid }): Promise<HostStatus> => {
      const [first] = legs
      const life = truthful(await readLife(paths, host))
      return {
        name: host,
        ipv4: first?.ipv4 ?? '',
        ipv6: first?.ipv6 ?? '',
        network: first?.network ?? 'lab',
        cut,
        machineId: uuid.replaceAll('-', ''),
        ...life,
      }
    }),
  )
  return {
    name,
    supervisor: (await supervisorOf(paths)) === null ? 'gone' : 'running',
    stateDir: paths.state,
    netns: labNetns(name),
    memoryBytes: await memoryOf(name),
    ...(record?.owner === undefined ? {} : { owner: record.owner }),
    hosts,
  }
}

/** How all labs of this machine are. */
export const labStatuses = async (): Promise<LabStatus[]> => Promise.all((await labNames()).map(labStatus))

/** The last word of a dead supervisor may be out of date: a host whose pid 1 is gone is off. */
function truthful(life: HostLife): HostLife {
  if (life.state !== 'running' || life.leader === undefined || startTimeOf(life.leader) !== null) return life
  return { state: 'off', boots: life.boots }
}
