import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gateway } from './addressing.ts'
import { attempt, run } from './command.ts'
import type { LabPaths } from './paths.ts'
import type { HostRecord, Leg, NetworkName } from './types.ts'

/** The name of a network's namespace among those of its lab; a host's is its own name, which has no dot. */
export const switchName = (network: NetworkName): string => `switch.${network}`

const bridge = 'lab0'

/** Makes the namespace that is a network's switch. Its only links are the hosts: there is no way out of it. */
export async function makeSwitch(paths: LabPaths, network: NetworkName): Promise<void> {
  const netns = paths.netns(switchName(network))
  await makeNamespace(netns)
  const { ipv4, ipv6 } = gateway(network)
  await ipBatch(netns, [
    'link set lo up',
    `link add ${bridge} type bridge stp_state 0 mcast_snooping 0`,
    `address add ${ipv4}/24 dev ${bridge}`,
    `address add ${ipv6}/64 dev ${bridge} nodad`,
    `link set ${bridge} up`,
    // What wants to leave is told at once that it cannot, instead of waiting for a timeout.
    'route add unreachable default',
    'route add unreachable ::/0 metric 2000',
  ])
  // Every refusal is told: with the usual limit the second lookup or connect in a second would wait for its timeout.
  const settings = ['net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1', 'net.ipv4.icmp_ratelimit=0', 'net.ipv6.icmp.ratelimit=0']
  await run(['sysctl', '-q', '-w', ...settings], { netns })
}

/** Makes a host's namespace anew, as a restart of a real machine does, with a cable to the switch of each of its networks. */
export async function connectHost(paths: LabPaths, host: HostRecord): Promise<void> {
  const own = paths.netns(host.name)
  await disconnectHost(paths, host)
  await makeNamespace(own)
  for (const leg of host.legs) {
    const netns = paths.netns(switchName(leg.network))
    await ipBatch(netns, [
      `link add ${host.name} address ${mac(leg, 'switch')} type veth peer name ${leg.link} address ${mac(leg, 'host')} netns ${own}`,
      `link set ${host.name} master ${bridge}`,
      `link set ${host.name} up`,
    ])
  }
  const [first] = host.legs
  await ipBatch(own, [
    'link set lo up',
    ...host.legs.flatMap(({ link, ipv4, ipv6 }) => [
      `address add ${ipv4}/24 dev ${link}`,
      `address add ${ipv6}/64 dev ${link} nodad`,
      `link set ${link} up`,
    ]),
    ...(first === undefined
      ? []
      : [`route add default via ${gateway(first.network).ipv4}`, `route add ::/0 via ${gateway(first.network).ipv6}`]),
  ])
  if (host.cut) await setCut(paths, host, true)
}

/** Removes a host's namespace and its cables. */
export async function disconnectHost(paths: LabPaths, host: HostRecord): Promise<void> {
  for (const { network } of host.legs) {
    // The kernel removes the cable with the namespace, but in its own time; a new one of the same name must not collide.
    await attempt(['ip', 'link', 'delete', host.name], { netns: paths.netns(switchName(network)) })
  }
  await removeNamespace(paths.netns(host.name))
}

/** Cuts a host off, or heals that. The port of the switch stops forwarding; neither side is told, as when a switch fails. */
export async function setCut(paths: LabPaths, host: HostRecord, cut: boolean): Promise<void> {
  for (const { network } of host.legs) {
    const netns = paths.netns(switchName(network))
    await run(['bridge', 'link', 'set', 'dev', host.name, 'state', cut ? 'disabled' : 'forwarding'], { netns })
  }
}

/** Removes all namespaces of a lab. */
export async function removeNamespaces(paths: LabPaths): Promise<void> {
  const directory = paths.netns('.')
  if (!existsSync(directory)) return
  for (const name of await readdir(directory)) await removeNamespace(join(directory, name))
}

async function makeNamespace(netns: string): Promise<void> {
  await mkdir(join(netns, '..'), { recursive: true })
  await run(['sh', '-ec', ': >"$1"; unshare --net="$1" true', 'sh', netns])
}

async function removeNamespace(netns: string): Promise<void> {
  if (!existsSync(netns)) return
  // Not mounted is fine: a maker that was killed leaves the bare file.
  await attempt(['umount', netns])
  await rm(netns, { force: true })
}

const ipBatch = (netns: string, lines: readonly string[]): Promise<string> => run(['ip', '-batch', '-'], { netns, input: lines.join('\n') })

/** Hardware addresses that stay the same over reboots, as those of real network cards do. */
function mac(leg: Leg, side: 'host' | 'switch'): string {
  const last = Number(leg.ipv4.split('.').at(-1)).toString(16).padStart(2, '0')
  return `02:6b:78:${leg.network === 'lab' ? '4d' : '4e'}:${side === 'host' ? '00' : '01'}:${last}`
}
