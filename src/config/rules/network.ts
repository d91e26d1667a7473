import { type Cidr, contains, type Ip, overlaps, parseCidr, parseIp } from '../../util/ip.ts'
import { type Cluster, familyOf, hostsOf } from '../cluster.ts'
import type { Rule, RuleContext } from '../context.ts'

const network = ['spec', 'network']
const podsPath = [...network, 'kubePodsCIDR']
const servicesPath = [...network, 'kubeServiceCIDR']

const blocksOf = (ranges: readonly string[]): readonly Cidr[] => ranges.map(parseCidr).filter((block) => block !== null)

const rangesAreWrong = (context: RuleContext): boolean => context.isWrong(podsPath) || context.isWrong(servicesPath)

const separateNetworks: Rule<Cluster> = (cluster, context) => {
  if (rangesAreWrong(context)) return
  const { kubePodsCIDR, kubeServiceCIDR, plugin, kubeovn } = cluster.spec.network
  const [pods, services] = [blocksOf(kubePodsCIDR), blocksOf(kubeServiceCIDR)]
  const named = [
    ...pods.map((block) => ({ block, name: 'kubePodsCIDR', path: podsPath })),
    ...services.map((block) => ({ block, name: 'kubeServiceCIDR', path: servicesPath })),
  ]
  if (plugin === 'kube-ovn')
    named.push(
      ...blocksOf([kubeovn.joinCIDR]).map((block) => ({ block, name: 'kubeovn.joinCIDR', path: [...network, 'kubeovn', 'joinCIDR'] })),
    )
  const known = addressesIn(cluster)
  for (const [i, one] of named.entries()) {
    for (const other of named.slice(i + 1)) {
      if (one.name === other.name || !overlaps(one.block, other.block)) continue
      context.error(
        'KX_CONFIG_CIDR_OVERLAP',
        { one: other.name, seen: other.block.text, other: one.name, otherSeen: one.block.text },
        other.path,
        other.block.text,
      )
    }
    const host = known.find(({ ip }) => contains(one.block, ip))
    if (host !== undefined)
      context.error(
        'KX_CONFIG_CIDR_OVERLAP',
        { one: one.name, seen: one.block.text, other: host.name, otherSeen: host.address },
        one.path,
        one.block.text,
      )
  }
}

interface Known {
  readonly name: string
  readonly address: string
  readonly ip: Ip
}

/** Every address in the config that belongs to a machine. */
function addressesIn(cluster: Cluster): readonly Known[] {
  const hosts = cluster.spec.hosts.flatMap(({ name, address, internalAddress }) =>
    [...new Set([address, ...internalAddress])].map((one) => ({ name: `host ${name}`, address: one })),
  )
  return [...hosts, { name: 'lb_address', address: cluster.spec.controlPlaneEndpoint.lb_address }].flatMap((one) => {
    const ip = parseIp(one.address)
    return ip === null ? [] : [{ ...one, ip }]
  })
}

const roomForNodes: Rule<Cluster> = ({ spec }, context) => {
  if (rangesAreWrong(context)) return
  const nodes = new Set([...spec.roleGroups.master, ...spec.roleGroups.worker]).size
  for (const block of blocksOf(spec.network.kubePodsCIDR)) {
    const field = block.family === 4 ? 'nodeCidrMaskSize' : 'nodeCidrMaskSizeIPv6'
    const path = ['spec', 'kubernetes', field]
    if (context.isWrong(path)) continue
    const mask = spec.kubernetes[field]
    const at = context.isWritten(path) ? path : podsPath
    const bits = mask - block.prefix
    if (bits < 0 || bits > 16) {
      const high = Math.min(block.prefix + 16, block.family === 4 ? 30 : 128)
      context.error('KX_CONFIG_CIDR_MASK', { mask, seen: block.text, low: block.prefix, high }, at, String(mask))
    } else if (2 ** bits < nodes)
      context.error('KX_CONFIG_CIDR_SMALL', { seen: block.text, room: 2 ** bits, mask, nodes }, podsPath, block.text)
  }
}

const stacks: Rule<Cluster> = (cluster, context) => {
  if (rangesAreWrong(context)) return
  const [pods, services] = [blocksOf(cluster.spec.network.kubePodsCIDR), blocksOf(cluster.spec.network.kubeServiceCIDR)]
  const wrong = (what: string, how: string, path: readonly (string | number)[]) =>
    context.error('KX_CONFIG_DUAL_STACK', { what, how }, path)
  for (const [name, blocks, path] of [['kubePodsCIDR', pods, podsPath] as const, ['kubeServiceCIDR', services, servicesPath] as const]) {
    if (blocks.length === 0) return wrong(`${name} is empty`, `write ${name}: 10.233.64.0/18`, path)
    if (blocks.length > 2 || (blocks.length === 2 && blocks[0]?.family === blocks[1]?.family)) {
      return wrong(`${name} has ${blocks.length} ranges of the same family`, 'write one range, or one IPv4 and one IPv6 range', path)
    }
  }
  const families = (blocks: readonly Cidr[]): string => blocks.map(({ family }) => `IPv${family}`).join(' and ')
  if (families(pods) !== families(services)) {
    return wrong(
      `pods speak ${families(pods)}, services ${families(services)}`,
      'give both the same families, in the same order',
      servicesPath,
    )
  }
  for (const [index, host] of hostsOf(cluster).entries()) {
    if (!host.roles.includes('master') && !host.roles.includes('worker')) continue
    const known = host.internalAddresses.map(familyOf).filter((family) => family !== null)
    const missing = pods.find(({ family }) => known.length > 0 && !known.includes(family))
    if (missing === undefined) continue
    wrong(
      `${host.name} has no IPv${missing.family} internal address, but pods do`,
      `write internalAddress: "${host.internalAddress},…" with both`,
      ['spec', 'hosts', index, 'internalAddress'],
    )
  }
}

const calicoModes: Rule<Cluster> = ({ spec: { network: chosen } }, context) => {
  const { ipipMode, vxlanMode } = chosen.calico
  const path = [...network, 'calico']
  if (chosen.plugin !== 'calico' || ipipMode === 'Never' || vxlanMode === 'Never') return
  // IPIP Always is only a default: a user who asks for VXLAN alone gets it told where to write.
  context.error('KX_CONFIG_CALICO_MODE', { ipip: ipipMode, vxlan: vxlanMode }, [
    ...path,
    context.isWritten([...path, 'vxlanMode']) ? 'vxlanMode' : 'ipipMode',
  ])
}

const pluginFits: Rule<Cluster> = ({ spec }, context) => {
  const { plugin, cilium, calico } = spec.network
  const { proxyMode } = spec.kubernetes
  const pools = blocksOf(calico.ipam.pools.map(({ cidr }) => cidr))
  const pods = blocksOf(spec.network.kubePodsCIDR)
  if (plugin === 'calico') {
    for (const [index, pool] of pools.entries()) {
      if (pods.some((block) => overlaps(block, pool) && block.prefix <= pool.prefix) || rangesAreWrong(context)) continue
      context.error(
        'KX_CONFIG_CNI',
        { what: `pool ${pool.text} lies outside kubePodsCIDR`, how: 'choose a range inside kubePodsCIDR' },
        [...network, 'calico', 'ipam', 'pools', index, 'cidr'],
        pool.text,
      )
    }
  }
  if (plugin === 'cilium' && cilium.kubeProxy.replacement && proxyMode !== 'none') {
    context.error(
      'KX_CONFIG_CNI',
      {
        what: `Cilium replaces kube-proxy, and proxyMode is ${proxyMode}`,
        how: 'write proxyMode: none, or cilium.kubeProxy.replacement: false',
      },
      ['spec', 'kubernetes', 'proxyMode'],
      proxyMode,
    )
  }
  if (proxyMode === 'none' && plugin !== 'none' && !(plugin === 'cilium' && cilium.kubeProxy.replacement)) {
    context.error(
      'KX_CONFIG_CNI',
      {
        what: `without kube-proxy ${plugin} cannot reach services`,
        how: 'write proxyMode: ipvs, or use cilium with kubeProxy.replacement: true',
      },
      ['spec', 'kubernetes', 'proxyMode'],
      proxyMode,
    )
  }
}

const flannelBackend: Rule<Cluster> = ({ spec: { network: chosen } }, context) => {
  if (chosen.plugin !== 'flannel' || chosen.flannel.backend.type !== 'ipsec') return
  context.error(
    'KX_CONFIG_CNI',
    {
      what: "flannel's ipsec backend wants its key in a ConfigMap that everybody may read",
      how: 'write type: wireguard, which makes its own keys',
    },
    [...network, 'flannel', 'backend', 'type'],
    'ipsec',
  )
}

/** Rules about addresses and the network plugin. */
export const networkRules: readonly Rule<Cluster>[] = [separateNetworks, roomForNodes, stacks, calicoModes, pluginFits, flannelBackend]
