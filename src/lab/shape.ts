import { randomUUID } from 'node:crypto'
import { fail } from '../error/index.ts'
import { hostAddress, hostLimit } from './addressing.ts'
import { checkHostName } from './paths.ts'
import type { HostOptions, HostRecord, LabOptions, LabRecord, Leg, NetworkName } from './types.ts'

/** The hosts asked for, one entry each. */
export const wantedHosts = (hosts: LabOptions['hosts'] = 3): readonly HostOptions[] =>
  typeof hosts === 'number' ? Array.from({ length: hosts }, () => ({})) : hosts

/** What a lab will be made of. The first host is the door to the private network, if any host is in that. */
export function shapeLab(name: string, options: LabOptions, rootImage: string): LabRecord {
  const wanted = wantedHosts(options.hosts)
  if (wanted.length === 0) throw fail('KX_LAB_SHAPE', { what: 'a lab has at least one host' })
  if (wanted[0]?.private) throw fail('KX_LAB_SHAPE', { what: 'the first host is the jump host and cannot be private' })
  const empty: LabRecord = {
    name,
    rootImage,
    createdAt: new Date().toISOString(),
    nextIndex: 1,
    hosts: [],
    ...(options.owner === undefined ? {} : { owner: options.owner }),
  }
  const hasPrivate = wanted.some((host) => host.private)
  return wanted.reduce((lab, host, i) => withHost(lab, host, { isJump: hasPrivate && i === 0 }), empty)
}

/** The lab with one more host, which gets the next free number, name and addresses. */
export function withHost(lab: LabRecord, options: HostOptions, { isJump = false } = {}): LabRecord {
  const index = lab.nextIndex
  const name = options.name ?? `node${index}`
  checkHostName(name)
  if (index > hostLimit) throw fail('KX_LAB_SHAPE', { what: `a lab has room for ${hostLimit} hosts` })
  if (lab.hosts.some((host) => host.name === name)) throw fail('KX_LAB_SHAPE', { what: `there are two hosts named ${name}` })
  if (options.private && !lab.hosts.some(({ legs }) => legs.length > 1)) {
    throw fail('KX_LAB_SHAPE', { what: 'a private host needs a lab that was made with private hosts: only such a lab has a jump host' })
  }
  for (const [what, value] of [
    ['memory', options.memoryMiB],
    ['cpus', options.cpus],
  ] as const) {
    if (value !== undefined && (!Number.isInteger(value) || value < 1))
      throw fail('KX_LAB_SHAPE', { what: `${what} of ${name} must be a whole number above 0` })
  }
  const host: HostRecord = {
    name,
    index,
    uuid: randomUUID(),
    legs: options.private ? [leg('private', index, 0)] : isJump ? [leg('lab', index, 0), leg('private', index, 1)] : [leg('lab', index, 0)],
    ...(options.memoryMiB === undefined ? {} : { memoryMiB: options.memoryMiB }),
    ...(options.cpus === undefined ? {} : { cpus: options.cpus }),
    cut: false,
  }
  return { ...lab, nextIndex: index + 1, hosts: [...lab.hosts, host] }
}

/** The networks a lab has. */
export const networksOf = (lab: LabRecord): NetworkName[] => [
  ...new Set<NetworkName>(['lab', ...lab.hosts.flatMap(({ legs }) => legs.map(({ network }) => network))]),
]

const leg = (network: NetworkName, index: number, link: number): Leg => ({ network, link: `eth${link}`, ...hostAddress(network, index) })
