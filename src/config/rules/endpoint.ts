import { contains, parseCidr, parseIp } from '../../util/ip.ts'
import { type Cluster, type ClusterHost, familyOf, hostsOf } from '../cluster.ts'
import type { Rule, RuleContext } from '../context.ts'

const endpoint = ['spec', 'controlPlaneEndpoint']
const vipPath = [...endpoint, 'lb_address']
const isOurs = (type: string): boolean => type === 'kubexm-kh' || type === 'kubexm-kn'

const balancerNeeded: Rule<Cluster> = ({ spec }, context) => {
  const { externalLoadBalancer, internalLoadbalancer } = spec.controlPlaneEndpoint
  const masters = spec.roleGroups.master.length
  if (masters < 2 || externalLoadBalancer !== '' || internalLoadbalancer !== '') return
  if (context.isWrong([...endpoint, 'externalLoadBalancer']) || context.isWrong([...endpoint, 'internalLoadbalancer'])) return
  context.error('KX_CONFIG_LB_NEEDED', { masters }, [...endpoint, 'internalLoadbalancer'])
}

const balancerHosts: Rule<Cluster> = ({ spec }, context) => {
  const { externalLoadBalancer: type } = spec.controlPlaneEndpoint
  const hosts = spec.roleGroups.loadbalancer
  const path = [...endpoint, 'externalLoadBalancer']
  const groups = ['spec', 'roleGroups', 'loadbalancer']
  if (context.isWrong(path) || context.isWrong(groups)) return
  if (isOurs(type) && hosts.length === 0 && !context.isWritten([...groups, 0])) {
    context.error(
      'KX_CONFIG_LB_HOSTS',
      { type, what: 'no host has the loadbalancer role', how: 'list hosts under spec.roleGroups.loadbalancer, best two' },
      path,
      type,
    )
  }
  if (type === 'external' && hosts.length > 0) {
    context.error(
      'KX_CONFIG_LB_HOSTS',
      {
        type,
        what: `${hosts.join(', ')} must not have the loadbalancer role`,
        how: 'remove spec.roleGroups.loadbalancer, or write kubexm-kh or kubexm-kn',
      },
      groups,
    )
  }
  if (type === '' && hosts.length > 0) {
    context.warn(
      'KX_CONFIG_UNUSED',
      { what: 'the loadbalancer role', why: 'externalLoadBalancer is empty', how: 'write externalLoadBalancer: kubexm-kh or kubexm-kn' },
      groups,
    )
  }
}

const virtualAddress: Rule<Cluster> = (cluster, context) => {
  const {
    externalLoadBalancer: external,
    internalLoadbalancer: internal,
    lb_address: vip,
    externalDNS,
    domain,
    kubevip,
  } = cluster.spec.controlPlaneEndpoint
  if (context.isWrong(vipPath)) return
  const wrong = (what: string, how: string) => context.error('KX_CONFIG_VIP', { seen: vip === '' ? '""' : vip, what, how }, vipPath, vip)
  const free = 'write a free address of the hosts’ network'
  if (vip === '') {
    if (internal === 'kube-vip') wrong('kube-vip needs a virtual address', free)
    else if (isOurs(external) && internal === '') wrong('keepalived needs a virtual address', free)
    else if (isOurs(external))
      context.warn('KX_CONFIG_NO_VIP', { domain, host: cluster.spec.roleGroups.loadbalancer[0] ?? 'the first load balancer' }, vipPath)
    else if (external === 'external' && !externalDNS)
      wrong('the address of your load balancer is needed', 'write its address, or externalDNS: true if your DNS knows the domain')
    return
  }
  if (externalDNS && !isOurs(external) && internal !== 'kube-vip')
    wrong('externalDNS is true, so your DNS decides about the address', 'write lb_address: "", or externalDNS: false')
  const carriers = hostsOf(cluster).filter(({ roles }) => roles.includes(isOurs(external) ? 'loadbalancer' : 'master'))
  if (!isOurs(external) && internal !== 'kube-vip') return
  const taken = hostsOf(cluster).find((host) => host.address === vip || host.internalAddresses.includes(vip))
  if (taken !== undefined) return wrong(`it is the address of ${taken.name}`, free)
  if (isOurs(external) && internal === 'kube-vip') {
    context.warn(
      'KX_CONFIG_VIP',
      { seen: vip, what: 'both keepalived and kube-vip would hold it', how: 'choose one of the two' },
      vipPath,
      vip,
    )
  }
  if (!(internal === 'kube-vip' && kubevip.mode === 'BGP') && carriers.length > 0 && !carriers.some((host) => isNear(host, vip))) {
    const { name, internalAddress } = carriers[0] as ClusterHost
    wrong(`it is not on the network of ${name} (${internalAddress})`, free)
  }
  warnIpvs(cluster, context)
}

/**
 * The mask of a host's network is known only from its facts. Addresses that do not even share 16 bits (48 of IPv6) are no neighbours
 * in any network worth the name; the exact check follows in preflight.
 */
function isNear({ internalAddresses }: ClusterHost, vip: string): boolean {
  const target = parseIp(vip)
  const known = internalAddresses.filter((address) => familyOf(address) !== null)
  if (target === null || known.length === 0) return true
  return known.some((address) => {
    const block = parseCidr(`${address}/${familyOf(address) === 4 ? 16 : 48}`)
    return block !== null && contains(block, target)
  })
}

function warnIpvs({ spec }: Cluster, context: RuleContext): void {
  const { internalLoadbalancer, lb_address: vip } = spec.controlPlaneEndpoint
  if (internalLoadbalancer !== 'kube-vip' || spec.kubernetes.proxyMode !== 'ipvs') return
  const { ipvs } = spec.kubernetes.kubeProxy.configuration
  const excluded =
    typeof ipvs === 'object' && ipvs !== null && 'excludeCIDRs' in ipvs && Array.isArray(ipvs.excludeCIDRs) ? ipvs.excludeCIDRs : []
  const target = parseIp(vip)
  const covered = excluded.some((range) => {
    const block = parseCidr(String(range))
    return block !== null && target !== null && contains(block, target)
  })
  if (!covered) context.warn('KX_CONFIG_IPVS_KUBE_VIP', { vip }, vipPath, vip)
}

const bgpPeer: Rule<Cluster> = ({ spec }, context) => {
  const { internalLoadbalancer, kubevip } = spec.controlPlaneEndpoint
  if (internalLoadbalancer !== 'kube-vip' || kubevip.mode !== 'BGP' || kubevip.bgpConfig !== undefined) return
  const path = [...endpoint, 'kubevip', 'bgpConfig']
  if (!context.isWrong(path)) context.error('KX_CONFIG_MISSING', { field: 'kubevip.bgpConfig', example: exampleOfPeer }, path)
}

const exampleOfPeer = 'bgpConfig: {peerAddress: 192.168.0.254, peerASN: 65000, asn: 65001}'

/** Rules about how the API servers are reached. */
export const endpointRules: readonly Rule<Cluster>[] = [balancerNeeded, balancerHosts, virtualAddress, bgpPeer]
