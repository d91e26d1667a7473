import { fail } from '../../error/index.ts'
import type { Host } from '../../runtime/index.ts'
import { formatIp, parseIp } from '../../util/ip.ts'

/** The interface of a host that carries one of its addresses. */
export function interfaceWith(host: Host, address: string): string {
  const wanted = canonical(address)
  const found = host.facts.interfaces.find(({ addresses }) => addresses.some((own) => canonical(own.split('/')[0] ?? '') === wanted))
  if (found === undefined) throw fail('KX_LB_INTERFACE', { address }, { where: { host: host.name } })
  return found.name
}

/** Two spellings of one address are one. */
function canonical(address: string): string {
  const ip = parseIp(address)
  return ip === null ? address : formatIp(ip)
}

/** Of the addresses of a host in the cluster the first of the family of another one; its main one where it has none of that family. */
export function addressLike(
  { internalAddress, internalAddresses }: Pick<Host, 'internalAddress' | 'internalAddresses'>,
  other: string,
): string {
  const family = parseIp(other)?.family
  return internalAddresses.find((own) => parseIp(own)?.family === family) ?? internalAddress
}
