import { addressAt, parseCidr } from '../util/ip.ts'
import type { Cluster, ClusterHost, ClusterSpec } from './cluster.ts'
import { hostsOf } from './cluster.ts'

/** An address as it stands in a URL: IPv6 in brackets. */
export const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/** Behind a load balancer on other hosts, which has a port of its own, the API servers keep theirs; else they are the endpoint. */
export const apiServerPort = ({ controlPlaneEndpoint: { externalLoadBalancer, port } }: ClusterSpec): number =>
  externalLoadBalancer === '' ? port : 6443

/** Whether every worker runs a load balancer of its own in front of the API servers. */
export const balancesOnWorkers = ({ controlPlaneEndpoint: { internalLoadbalancer } }: ClusterSpec): boolean =>
  internalLoadbalancer === 'haproxy' || internalLoadbalancer === 'nginx'

/** The address the endpoint's domain stands for on a host; null where the user's DNS answers. A master is its own endpoint if the port fits. */
export function endpointAddressFor(cluster: Cluster, host: Pick<ClusterHost, 'roles' | 'internalAddress'>): string | null {
  const { externalDNS, lb_address } = cluster.spec.controlPlaneEndpoint
  if (externalDNS) return null
  if (host.roles.includes('master') && apiServerPort(cluster.spec) === cluster.spec.controlPlaneEndpoint.port) return host.internalAddress
  if (balancesOnWorkers(cluster.spec) && host.roles.includes('worker')) return '127.0.0.1'
  return lb_address === '' ? (mastersOf(cluster)[0]?.internalAddress ?? null) : lb_address
}

/** The URL of the API as the programs on a host use it: a master asks its own API server, others the endpoint by its name. */
export function apiUrlFor(cluster: Cluster, host: Pick<ClusterHost, 'roles' | 'internalAddress'>): string {
  const { domain, port } = cluster.spec.controlPlaneEndpoint
  return host.roles.includes('master') ? apiServerUrl(cluster, host) : `https://${domain}:${port}`
}

/** The URL of the API server on a master. */
export const apiServerUrl = (cluster: Cluster, master: Pick<ClusterHost, 'internalAddress'>): string =>
  `https://${inUrl(master.internalAddress)}:${apiServerPort(cluster.spec)}`

/** The URL of the API for people and for machines outside: the load balancer if there is one, else the first master. */
export function publicApiUrl(cluster: Cluster): string {
  const { externalDNS, domain, lb_address, port } = cluster.spec.controlPlaneEndpoint
  if (externalDNS) return `https://${domain}:${port}`
  if (lb_address !== '') return `https://${inUrl(lb_address)}:${port}`
  const [first] = mastersOf(cluster)
  return first === undefined ? `https://${domain}:${port}` : `https://${inUrl(first.address)}:${apiServerPort(cluster.spec)}`
}

/** What the cluster is called in the kubeconfig of somebody who has others too. */
export const contextName = ({ metadata }: Cluster): string => `kubexm-${metadata.name}`

/** The masters in the order of the config. */
export const mastersOf = (cluster: Cluster): readonly ClusterHost[] => hostsOf(cluster).filter((host) => host.roles.includes('master'))

/** Where a member of etcd on a host listens to clients. */
export const etcdClientUrl = ({ spec }: Cluster, { internalAddress }: Pick<ClusterHost, 'internalAddress'>): string =>
  `https://${inUrl(internalAddress)}:${spec.etcd.clientPort}`

/** Where it listens to the other members. */
export const etcdPeerUrl = ({ spec }: Cluster, { internalAddress }: Pick<ClusterHost, 'internalAddress'>): string =>
  `https://${inUrl(internalAddress)}:${spec.etcd.peerPort}`

/** The client URLs of all etcd members. */
export function etcdUrls(cluster: Cluster): readonly string[] {
  const { etcd } = cluster.spec
  if (etcd.type === 'external') return etcd.external?.endpoints ?? []
  return hostsOf(cluster)
    .filter((host) => host.roles.includes('etcd'))
    .map((host) => etcdClientUrl(cluster, host))
}

/** The nth address of each service range: the first is the API's own service, the tenth the name server. */
export const serviceAddresses = ({ network }: ClusterSpec, nth: number): readonly string[] =>
  network.kubeServiceCIDR.flatMap((range) => {
    const block = parseCidr(range)
    return block === null ? [] : [addressAt(block, nth)]
  })

/** Where pods ask for names: the cluster's DNS service. */
export const clusterDnsAddresses = (spec: ClusterSpec): readonly string[] => serviceAddresses(spec, 10)
