import { apiServerPort, type ClusterSpec, hostsOf } from '../../../../config/index.ts'
import { type Finding, finding } from '../../../../event/index.ts'
import { sh } from '../../../../runner/index.ts'
import type { Host, StepContext } from '../../../../runtime/index.ts'
import { defineCheck } from '../../../../step/index.ts'
import { contains, parseCidr, parseIp } from '../../../../util/ip.ts'
import { seconds } from '../../../../util/time.ts'
import { connect, type Target, whyNot } from './ask-network.ts'
import { isOne, portsOf } from './needs.ts'
import { opensFirewall } from './network.ts'
import { isOurs, sightOf, sightOfPeer } from './sight.ts'

export const betweenHosts = defineCheck({
  name: 'preflight.between-hosts',
  title: 'Check that the host reaches the others on the ports it needs',
  timeout: seconds(180),
  check: async (ctx): Promise<readonly Finding[]> => {
    const needs = await neededWays(ctx)
    const wayTo = await connect(ctx.on, needs)
    const blocked = needs.flatMap((need) => {
      const why = whyNot[wayTo(need)]
      return why === undefined ? [] : [{ ...need, why }]
    })
    return [...Map.groupBy(blocked, ({ port, user, why }) => `${port} ${user} ${why}`).values()].flatMap((alike) => {
      const [first] = alike
      if (first === undefined) return []
      const targets = alike.map(({ peer, address }) => `${peer} (${address})`).join(', ')
      return [finding('KX_PORT_UNREACHABLE', { targets, port: first.port, user: first.user, why: first.why }, 'error')]
    })
  },
})

/** In a mesh of hundreds every host tries this many others, those that follow it in the config: together they still try every host. */
const mostPeers = 16

/** Every port of another host this one has to reach; not those behind a firewall that kubexm will turn off. */
async function neededWays(ctx: StepContext): Promise<readonly (Target & { readonly user: string; readonly peer: string })[]> {
  const at = ctx.hosts.findIndex(({ name }) => name === ctx.host.name)
  const tried = new Map<number, number>()
  const ways: (Target & { readonly user: string; readonly peer: string })[] = []
  for (const peer of [...ctx.hosts.slice(at + 1), ...ctx.hosts.slice(0, at)]) {
    const sight = await sightOfPeer(ctx, peer.name)
    // That nobody can look at the other host is said there, once, and not by everybody else.
    if (sight === null || (opensFirewall(ctx) && sight.firewall.active)) continue
    for (const { from, protocol, port, user } of portsOf(ctx.cluster.spec, peer)) {
      if (from === undefined || !isOne(ctx.host, from) || protocol !== 'tcp') continue
      const before = tried.get(port) ?? 0
      // Masters are few and have to reach every kubelet.
      if (before >= mostPeers && !(isOne(ctx.host, 'master') && from === 'master')) continue
      tried.set(port, before + 1)
      ways.push({ address: peer.internalAddress, port, user, peer: peer.name })
    }
  }
  return ways
}

/** The hosts that will carry the virtual address; none where there is no such address, or it is somebody else's. */
export function vipCarriers<H extends Pick<Host, 'roles'>>({ controlPlaneEndpoint }: ClusterSpec, hosts: readonly H[]): readonly H[] {
  const { externalLoadBalancer, internalLoadbalancer, lb_address } = controlPlaneEndpoint
  if (lb_address === '') return []
  if (externalLoadBalancer === 'kubexm-kh' || externalLoadBalancer === 'kubexm-kn')
    return hosts.filter((host) => isOne(host, 'loadbalancer'))
  return internalLoadbalancer === 'kube-vip' ? hosts.filter((host) => isOne(host, 'master')) : []
}

export const virtualAddress = defineCheck({
  name: 'preflight.virtual-address',
  title: 'Check that the virtual address is free',
  timeout: seconds(60),
  check: async (ctx) => {
    const { lb_address: vip, port, internalLoadbalancer, kubevip } = ctx.cluster.spec.controlPlaneEndpoint
    const holder = ctx.hosts.find((host) => addressesOf(host).some((text) => text.replace(/\/.*/, '') === vip))
    if (holder !== undefined) {
      const isCarrier = vipCarriers(ctx.cluster.spec, ctx.hosts).includes(holder)
      const ours = isCarrier && isOurs(await sightOf(ctx), /keepalived|kube-vip|kube-apiserver/)
      return ours ? null : finding('KX_VIP_TAKEN', { vip, by: `${holder.name} has it` }, 'error')
    }
    const routed = internalLoadbalancer === 'kube-vip' && kubevip.mode === 'BGP'
    const networks = addressesOf(ctx.host).filter((text) => !/^(127\.|::1|fe80:)/.test(text))
    if (!routed && !networks.some((network) => isInside(network, vip))) {
      return finding('KX_VIP_NETWORK', { vip, networks: networks.join(', ') || 'none' }, 'error')
    }
    const by = await answererAt(ctx, { address: vip, port })
    // A run about some of the carriers cannot tell whether it is one of the others that answers.
    const isSure = vipCarriers(ctx.cluster.spec, ctx.hosts).length === vipCarriers(ctx.cluster.spec, hostsOf(ctx.cluster)).length
    return by === null ? null : finding('KX_VIP_TAKEN', { vip, by }, isSure ? 'error' : 'warning')
  },
})

const addressesOf = ({ facts }: Host): readonly string[] => facts.interfaces.flatMap(({ addresses }) => addresses)

function isInside(network: string, address: string): boolean {
  const [block, ip] = [parseCidr(network), parseIp(address)]
  return block !== null && ip !== null && contains(block, ip)
}

/** Who answers at an address: by a connection, or, if it keeps silent, by the neighbour table after the try. */
async function answererAt(ctx: StepContext, target: Target): Promise<string | null> {
  const way = (await connect(ctx.on, [target]))(target)
  if (way === 'open' || way === 'refused') return `something answers on port ${target.port}`
  const [neighbour] = await ctx.on.inspect([{ kind: 'command', command: sh`ip neigh show to ${target.address}` }])
  const mac = /lladdr (\S+) (?:REACHABLE|STALE|DELAY|PROBE)/.exec(neighbour.stdout)?.[1]
  return mac === undefined ? null : `${mac} answers for it`
}

/** Whether something of the user's stands between nodes and API servers: a load balancer, or only a name. */
export const hasOwnEndpoint = ({ controlPlaneEndpoint: endpoint }: ClusterSpec): boolean =>
  endpoint.externalDNS || (endpoint.externalLoadBalancer === 'external' && endpoint.lb_address !== '')

export const ownEndpoint = defineCheck({
  name: 'preflight.own-endpoint',
  title: 'Check that the host knows and reaches your endpoint',
  timeout: seconds(60),
  check: async (ctx) => {
    const { controlPlaneEndpoint, extra } = ctx.cluster.spec
    const { externalDNS, domain, lb_address, port, externalLoadBalancer } = controlPlaneEndpoint
    const written = extra.hosts.find((entry) => entry.domain === domain)?.address
    const address = externalDNS ? (written ?? domain) : lb_address
    const way = (await connect(ctx.on, [{ address, port }]))({ address, port })
    // Name servers of the config are yet to be written to the hosts.
    if (way === 'unresolved') return finding('KX_ENDPOINT_UNKNOWN', { domain }, extra.resolves.length > 0 ? 'warning' : 'error')
    const why = whyNot[way]
    return why === undefined || externalLoadBalancer !== 'external'
      ? null
      : finding('KX_LB_UNREACHABLE', { address, port, why, backend: apiServerPort(ctx.cluster.spec) }, 'warning')
  },
})

export const registries = defineCheck({
  name: 'preflight.registries',
  title: 'Check that the host reaches the registries of the config',
  timeout: seconds(60),
  check: async (ctx): Promise<readonly Finding[]> => {
    const { spec } = ctx.cluster
    const { type, privateRegistry, auths } = spec.registry
    const own =
      type === 'external' && privateRegistry !== '' ? [targetOf(privateRegistry, spec, auths[privateRegistry]?.plainHTTP === true)] : []
    const mirrors = mirrorsOf(spec).map((mirror) => targetOf(mirror, spec))
    const wayTo = await connect(ctx.on, [...own, ...mirrors])
    return [...own, ...mirrors].flatMap((target) => {
      const why = whyNot[wayTo(target)]
      if (why === undefined) return []
      const said = { registry: target.text, why }
      return [own.includes(target) ? finding('KX_REGISTRY_UNREACHABLE', said, 'error') : finding('KX_MIRROR_UNREACHABLE', said, 'warning')]
    })
  },
})

export const artifactSource = defineCheck({
  name: 'preflight.artifact-source',
  title: 'Check that this machine reaches the artifact mirror',
  timeout: seconds(60),
  check: async (ctx) => {
    const source = ctx.cluster.spec.global.artifactMirror
    const target = targetOf(source, ctx.cluster.spec)
    const why = whyNot[(await connect(ctx.on, [target]))(target)]
    return why === undefined ? null : finding('KX_ARTIFACT_SOURCE_UNREACHABLE', { source, why }, 'warning')
  },
})

/** The mirrors the chosen runtime will ask. */
export function mirrorsOf({ registry, kubernetes: { containerRuntime } }: ClusterSpec): readonly string[] {
  const { containerd, docker, isulad, type } = containerRuntime
  const settings = {
    containerd: containerd.registryMirrors,
    docker: docker.registryMirrors,
    isulad: isulad['registry-mirrors'],
    'cri-o': [],
  }[type]
  const single = type === 'containerd' ? Object.values(containerd.registry?.mirrors ?? {}).flatMap(({ endpoints }) => endpoints) : []
  return [...new Set([...registry.registryMirrors, ...settings, ...single])]
}

/** Where a URL, or a registry's name, leads; names that kubexm will write to /etc/hosts are taken from the config. */
function targetOf(text: string, { extra }: ClusterSpec, plain = text.startsWith('http:')): Target & { readonly text: string } {
  const url = new URL(/^[a-z]+:\/\//.test(text) ? text : `${plain ? 'http' : 'https'}://${text}`)
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const address = extra.hosts.find(({ domain }) => domain === name)?.address ?? name
  return { address, port: url.port === '' ? (plain ? 80 : 443) : Number(url.port), text }
}
