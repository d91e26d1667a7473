import { hostsOf } from '../../../../config/index.ts'
import { type Finding, finding } from '../../../../event/index.ts'
import type { StepContext } from '../../../../runtime/index.ts'
import { defineCheck } from '../../../../step/index.ts'
import { type Cidr, contains, overlaps, parseCidr, parseIp } from '../../../../util/ip.ts'
import { podResolver } from '../../../../util/resolv-conf.ts'
import { seconds } from '../../../../util/time.ts'
import { askNameServers } from './ask-network.ts'
import { isOne, portsOf } from './needs.ts'
import { mayRepair, sightOf } from './sight.ts'

export const ownAddress = defineCheck({
  name: 'preflight.own-address',
  title: 'Check that the host has the address the cluster is to use',
  timeout: seconds(10),
  check: async ({ host }): Promise<readonly Finding[]> => {
    const own = host.facts.interfaces.flatMap(({ addresses }) => addresses.map((address) => address.replace(/\/.*/, '')))
    const values = new Set(own.map((address) => parseIp(address)?.value))
    const missing = host.internalAddresses.filter((address) => parseIp(address) !== null && !values.has(parseIp(address)?.value))
    const offered = own.filter((address) => !/^(127\.|::1$|fe80:)/.test(address)).join(', ') || 'none'
    return missing.map((address) => finding('KX_ADDRESS_MISSING', { address, own: offered }, 'error'))
  },
})

export const firewall = defineCheck({
  name: 'preflight.firewall',
  title: 'Check for a firewall',
  timeout: seconds(60),
  check: async (ctx) => {
    const { tool, active } = (await sightOf(ctx)).firewall
    if (tool === null || !active) return null
    if (opensFirewall(ctx)) return finding('KX_FIREWALL_ON', { tool }, 'warning')
    const ports = portsOf(ctx.cluster.spec, ctx.host).filter(({ from }) => from !== undefined)
    return finding('KX_FIREWALL_KEPT', { tool, ports: ports.map(({ port, protocol }) => `${port}/${protocol}`).join(', ') }, 'warning')
  },
})

/** Whether kubexm turns firewalls off. */
export const opensFirewall = (ctx: StepContext): boolean => mayRepair(ctx) && ctx.cluster.spec.preflight.disableFirewalld

export const nameServers = defineCheck({
  name: 'preflight.name-servers',
  title: 'Check the name servers',
  timeout: seconds(60),
  check: async (ctx) => {
    const { resolvConf, resolvedConf } = await sightOf(ctx)
    const { file, servers } = podResolver(resolvConf.stdout, resolvedConf.code === 0 ? resolvedConf.stdout : null)
    const { spec } = ctx.cluster
    // Name servers of the config are written to the hosts, or asked by CoreDNS in place of those of the hosts.
    const severity = mayRepair(ctx) && spec.extra.resolves.length > 0 ? 'warning' : 'error'
    if (servers.length === 0) return finding('KX_RESOLV_MISSING', { file }, severity)
    const loop = servers.find((server) => leadsBack(ctx, server))
    const asked = spec.dns.coredns.upstreamDNSServers.length > 0
    if (loop !== undefined && isOne(ctx.host, 'node') && !asked) return finding('KX_RESOLV_LOOP', { file, server: loop }, severity)
    const silent = await askNameServers(ctx.on, servers)
    if (silent.length === 0) return null
    const said = { file, servers: silent.join(', ') }
    return finding('KX_NAMESERVER_SILENT', said, silent.length === servers.length ? severity : 'warning')
  },
})

function leadsBack({ cluster: { spec } }: StepContext, server: string): boolean {
  const address = parseIp(server.replace(/%.*/, ''))
  if (address === null) return false
  const back = ['127.0.0.0/8', '::1/128', `${spec.dns.nodelocaldns.ip}/32`, ...spec.network.kubeServiceCIDR].map(parseCidr)
  return back.some((block) => block !== null && contains(block, address))
}

export const clusterRanges = defineCheck({
  name: 'preflight.cluster-ranges',
  title: 'Compare the ranges of pods and services with routes and addresses of the host',
  timeout: seconds(10),
  check: async (ctx): Promise<readonly Finding[]> => {
    const { kubePodsCIDR, kubeServiceCIDR } = ctx.cluster.spec.network
    const ranges = [
      ...kubePodsCIDR.map((range) => ({ field: 'kubePodsCIDR', range })),
      ...kubeServiceCIDR.map((range) => ({ field: 'kubeServiceCIDR', range })),
    ]
    const taken = networksOf(ctx)
    return ranges.flatMap(({ field, range }) => {
      const clash = taken.find(({ block }) => blockOverlaps(block, range))
      if (clash === undefined) return []
      return [finding('KX_CIDR_ROUTE', { field, range, seen: clash.block.text, interface: clash.interface }, 'error')]
    })
  },
})

const blockOverlaps = (block: Cidr, range: string): boolean => {
  const wanted = parseCidr(range)
  return wanted !== null && overlaps(block, wanted)
}

/** Interfaces that network plugins and kube-proxy make: their routes into the pod range are the cluster's own. */
const clusterInterfaces =
  /^(cali|tunl0|vxlan\.calico|wireguard\.cali|flannel|cni0|cilium_|lxc|ovn0|kube-ipvs0|nodelocaldns|veth|kube-bridge)/

/** The networks a host can reach already, but not by way of the cluster. */
function networksOf({ cluster, host }: StepContext): readonly { readonly block: Cidr; readonly interface: string }[] {
  const { routes, interfaces } = host.facts
  const members = new Set(hostsOf(cluster).flatMap(({ address, internalAddresses }) => [address, ...internalAddresses]))
  const found = [
    // A route by way of another host of the cluster is one a network plugin has made.
    ...routes
      .filter(({ via }) => via === null || !members.has(via))
      .map((route) => ({ text: route.destination, interface: route.interface })),
    ...interfaces.flatMap(({ name, addresses }) => addresses.map((text) => ({ text, interface: name }))),
  ]
  return found.flatMap(({ text, interface: name }) => {
    const block = parseCidr(/^[^/]+$/.test(text) ? `${text}/${text.includes(':') ? 128 : 32}` : text)
    const isWhole = block === null || block.prefix === 0
    return isWhole || clusterInterfaces.test(name) ? [] : [{ block, interface: name }]
  })
}
