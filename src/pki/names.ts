import type { Cluster, ClusterHost } from '../config/index.ts'
import { serviceAddresses } from '../config/index.ts'
import { formatIp, parseIp } from '../util/ip.ts'

/** How a program on a host reaches a server beside it. */
const loopback = ['localhost', '127.0.0.1', '::1'] as const

/** A name or an address in its one spelling; two spellings of one address are one. */
export function canonicalName(name: string): string {
  const ip = parseIp(name)
  return ip === null ? name.toLowerCase() : formatIp(ip)
}

/** Names and addresses, each once. */
const distinct = (...names: readonly string[]): readonly string[] => [...new Set(names.filter((name) => name !== '').map(canonicalName))]

const ownNames = ({ name, address, internalAddresses }: ClusterHost): readonly string[] => [name, address, ...internalAddresses]

/** Under what the API server of a master is reached: from pods, by its own addresses, and through the endpoint. */
export function apiServerNames({ spec }: Cluster, host: ClusterHost): readonly string[] {
  const { kubernetes, controlPlaneEndpoint } = spec
  return distinct(
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    `kubernetes.default.svc.${kubernetes.dnsDomain}`,
    controlPlaneEndpoint.domain,
    ...ownNames(host),
    ...serviceAddresses(spec, 1),
    controlPlaneEndpoint.lb_address,
    ...kubernetes.apiserverCertExtraSans,
    ...loopback,
  )
}

/** Under what a member of etcd is reached. */
export const memberNames = (_cluster: Cluster, host: ClusterHost): readonly string[] => distinct(...ownNames(host), ...loopback)

/** Under what the API server reaches a kubelet. */
export const nodeNames = (_cluster: Cluster, host: ClusterHost): readonly string[] => distinct(...ownNames(host))

/** Under what the registry is reached: by the name images carry, and by its host. */
export const registryNames = ({ spec }: Cluster, host: ClusterHost): readonly string[] =>
  distinct(spec.registry.privateRegistry.replace(/:\d+$/, ''), ...ownNames(host), ...loopback)
