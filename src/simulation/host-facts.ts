import type { Facts } from '../runner/index.ts'
import { freeBytes } from './files.ts'
import { type HostState, processesOf } from './state.ts'
import { timezoneOf } from './system.ts'

const mebibyte = 1024 * 1024

/** What the real runner would find out about this host. */
export function factsOf(state: HostState, uptimeSeconds: number): Facts {
  const { machine } = state
  const { os } = machine
  return {
    hostname: state.hostname,
    machineId: machine.machineId,
    productUuid: machine.productUuid,
    os: { id: os.id, idLike: os.idLike, version: os.version, name: os.name },
    family: os.family,
    packageManager: os.packageManager,
    arch: machine.arch,
    cpus: machine.cpus,
    memoryMiB: machine.memoryMiB,
    swapMiB: machine.swapAreas.filter(({ path }) => state.swap.includes(path)).reduce((sum, { sizeMiB }) => sum + sizeMiB, 0),
    kernel: os.kernel,
    cgroup: os.cgroup,
    init: 'systemd',
    virtualization: machine.virtualization,
    uptimeSeconds,
    clockOffsetMs: machine.clockOffsetMs,
    timezone: timezoneOf(state),
    selinux: state.selinux,
    disks: [...state.mounts].map(([mount, { source, type }]) => ({
      mount,
      device: source,
      type,
      sizeMiB: Math.floor(machine.diskBytes / mebibyte),
      freeMiB: Math.floor(freeBytes(state) / mebibyte),
    })),
    interfaces: [
      { name: 'lo', mac: '00:00:00:00:00:00', up: true, mtu: 65536, addresses: ['127.0.0.1/8', '::1/128'] },
      { name: 'eth0', mac: macOf(machine.machineId), up: true, mtu: 1500, addresses: addressesOf(machine) },
    ],
    routes: [{ destination: 'default', via: gatewayOf(machine.address), interface: 'eth0' }],
    listening: processesOf(state).flatMap(({ listens, name, pid }) => listens.map((port) => ({ ...port, process: name, pid }))),
    user: machine.user,
  }
}

const addressesOf = ({ address, otherAddresses }: HostState['machine']): readonly string[] =>
  [address, ...otherAddresses].map((own) => `${own}/${own.includes(':') ? 64 : 24}`)
const macOf = (id: string): string => `02:${(id.slice(0, 10).match(/../g) ?? []).join(':')}`
const gatewayOf = (address: string): string => address.replace(/\.\d+$/, '.1')
