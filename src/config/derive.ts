import { parseCidr } from '../util/ip.ts'
import { expandRange } from '../util/range.ts'
import { closest } from '../util/suggest.ts'
import { gateIn, gateNames, newestCovered } from './catalogue/feature-gates.ts'
import { etcdFor, minorOf, runtimeFor } from './catalogue/versions.ts'
import { type Addon, type Cluster, familyOf, type Role, roles } from './cluster.ts'
import type { RuleContext } from './context.ts'
import type { ParsedCluster } from './schema/cluster.ts'

type Parsed = ParsedCluster['spec']

/** Fills in what follows from other fields: ranges of hosts, versions, the kind of registry. */
export function derive(parsed: ParsedCluster, context: RuleContext): Cluster {
  const { spec } = parsed
  const kubernetesVersion = spec.kubernetes.version.replace(/^v?/, 'v')
  const roleGroups = expandRoles(spec, context)
  const registryType = spec.registry.type === '' ? registryFrom(spec, roleGroups) : spec.registry.type
  return {
    apiVersion: parsed.apiVersion,
    kind: parsed.kind,
    metadata: parsed.metadata,
    spec: {
      ...spec,
      hosts: spec.hosts.map((host) => ({
        ...host,
        internalAddress: host.internalAddress ?? (familyOf(host.address) === null ? [] : [host.address]),
      })),
      roleGroups,
      kubernetes: deriveKubernetes(spec, kubernetesVersion, context),
      etcd: {
        ...spec.etcd,
        version: spec.etcd.version?.replace(/^v?/, 'v') ?? etcdFor(kubernetesVersion),
        // A leader that died is missed for one to two of these: long enough for a busy disk, short enough for those who wait.
        electionTimeout: spec.etcd.electionTimeout ?? Math.min(10 * spec.etcd.heartbeatInterval, 50_000),
      },
      network: {
        ...spec.network,
        kubePodsCIDR: networks(spec, 'kubePodsCIDR', context),
        kubeServiceCIDR: networks(spec, 'kubeServiceCIDR', context),
      },
      registry: {
        ...spec.registry,
        type: registryType,
        privateRegistry:
          spec.registry.privateRegistry === '' && (registryType === 'registry' || registryType === 'harbor')
            ? 'dockerhub.kubexm.local'
            : spec.registry.privateRegistry,
      },
      addons: spec.addons.map(deriveAddon),
    },
  }
}

/** A host with the role gets one; a registry that is only named is the user's own. */
const registryFrom = ({ registry }: Parsed, roleGroups: Record<Role, string[]>): 'registry' | 'external' | 'none' =>
  roleGroups.registry.length > 0 ? 'registry' : registry.privateRegistry === '' ? 'none' : 'external'

function deriveKubernetes(spec: Parsed, version: string, context: RuleContext): Cluster['spec']['kubernetes'] {
  const { kubernetes, network, registry } = spec
  const runtime = kubernetes.containerRuntime
  const written = (...path: readonly string[]): boolean => context.isWritten(['spec', 'kubernetes', 'containerRuntime', ...path])
  // Of the chosen runtime: reads spec.kubernetes.containerRuntime.containerd.version
  const settings = runtime.type === 'cri-o' ? runtime.crio : runtime[runtime.type]
  const replaced =
    network.plugin === 'cilium' && network.cilium.kubeProxy.replacement && !context.isWritten(['spec', 'kubernetes', 'proxyMode'])
  const withoutProxy = replaced || !kubernetes.kubeProxy.enable
  const gates = (component?: 'apiServer' | 'controllerManager' | 'scheduler' | 'kubelet' | 'kubeProxy') =>
    knownGates(
      component === undefined ? kubernetes.featureGates : kubernetes[component].featureGates,
      version,
      component === undefined ? [] : [component],
      context,
    )
  return {
    ...kubernetes,
    version,
    dnsDomain: kubernetes.dnsDomain ?? kubernetes.clusterName,
    nodeCidrMaskSizeIPv6: kubernetes.nodeCidrMaskSizeIPv6 ?? maskForIPv6(network.kubePodsCIDR),
    proxyMode: withoutProxy ? 'none' : kubernetes.proxyMode,
    featureGates: gates(),
    apiServer: { ...kubernetes.apiServer, featureGates: gates('apiServer') },
    controllerManager: { ...kubernetes.controllerManager, featureGates: gates('controllerManager') },
    scheduler: { ...kubernetes.scheduler, featureGates: gates('scheduler') },
    kubelet: { ...kubernetes.kubelet, featureGates: gates('kubelet') },
    kubeProxy: { ...kubernetes.kubeProxy, featureGates: gates('kubeProxy') },
    containerRuntime: {
      ...runtime,
      // Where both say it, the settings of the runtime are nearer.
      containerd: { ...runtime.containerd, root: written('containerd', 'root') ? runtime.containerd.root : registry.containerdDataDir },
      docker: { ...runtime.docker, dataRoot: written('docker', 'dataRoot') ? runtime.docker.dataRoot : registry.dockerDataDir },
      version: (runtime.version ?? settings.version ?? runtimeFor(runtime.type, version)).replace(/^v/, ''),
    },
  }
}

/** Expands ranges and reports names that are no hosts. An empty etcd group means the masters. */
function expandRoles(spec: Parsed, context: RuleContext): Record<Role, string[]> {
  const groups = Object.fromEntries(roles.map((role) => [role, expandRole(role, spec.roleGroups[role], context)])) as Record<Role, string[]>
  const asMasters = spec.etcd.type === 'kubeadm' || (spec.etcd.type === 'kubexm' && !context.isWritten(['spec', 'roleGroups', 'etcd']))
  return asMasters && groups.etcd.length === 0 ? { ...groups, etcd: groups.master } : groups
}

function expandRole(role: Role, entries: readonly string[], context: RuleContext): string[] {
  const members = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const path = ['spec', 'roleGroups', role, index]
    const expansion = expandRange(entry)
    if ('wrong' in expansion) {
      context.error('KX_CONFIG_HOST_RANGE', { text: entry, why: expansion.wrong }, path, entry)
      continue
    }
    const missing = expansion.names.filter((name) => !context.namedHosts.has(name))
    if (missing.length > 0) reportMissing(entry, missing, expansion.names, path, context)
    for (const name of expansion.names) {
      if (members.has(name)) context.warn('KX_CONFIG_ROLE_TWICE', { host: name, role: `spec.roleGroups.${role}` }, path, entry)
      if (context.namedHosts.has(name)) members.add(name)
    }
  }
  return [...members]
}

function reportMissing(
  text: string,
  missing: readonly string[],
  names: readonly string[],
  path: readonly (string | number)[],
  context: RuleContext,
): void {
  const some = missing.length > 3 ? `${missing.slice(0, 3).join(', ')} and ${missing.length - 3} more` : missing.join(', ')
  const left = names.filter((name) => context.namedHosts.has(name))
  // node9 is not a misspelt node1: names that differ only in their number are different hosts.
  const near =
    names.length === 1
      ? closest(
          text,
          [...context.namedHosts].filter((name) => withoutDigits(name) !== withoutDigits(text)),
        )
      : null
  const instead = near ?? (left.length > 0 && left.length <= 6 ? left.join(', ') : null)
  const how = `add ${some} to spec.hosts${instead === null ? '' : `, or write ${instead}`}`
  context.error('KX_CONFIG_NO_SUCH_HOST', { text, missing: some, how }, path, text)
}

const withoutDigits = (name: string): string => name.replaceAll(/\d/g, '')

function knownGates(
  gates: Readonly<Record<string, boolean>>,
  version: string,
  component: readonly string[],
  context: RuleContext,
): Record<string, boolean> {
  const minor = minorOf(version)
  if (context.isWrong(['spec', 'kubernetes', 'version'])) return gates
  return Object.fromEntries(
    Object.entries(gates).filter(([gate]) => {
      const state = gateIn(minor, gate)
      if (state === 'known') return true
      const what = { 'no longer': 'no longer knows', 'not yet': 'does not know yet', never: 'does not know', unsure: 'may not know' }[state]
      const near = state === 'never' ? closest(gate, gateNames) : null
      const how =
        state === 'unsure'
          ? `check its name: the list of kubexm ends with 1.${newestCovered}`
          : near === null
            ? 'remove it; it is not passed on'
            : `did you mean ${near}? It is not passed on`
      context.warn('KX_CONFIG_FEATURE_GATE', { version, what, gate, how }, ['spec', 'kubernetes', ...component, 'featureGates', gate], gate)
      return state === 'unsure'
    }),
  )
}

/** The network of each range, host bits cleared. */
function networks(spec: Parsed, name: 'kubePodsCIDR' | 'kubeServiceCIDR', context: RuleContext): string[] {
  return spec.network[name].map((range) => {
    const block = parseCidr(range)
    if (block?.hadHostBits === true)
      context.warn('KX_CONFIG_HOST_BITS', { seen: range, network: block.text }, ['spec', 'network', name], range)
    return block?.text ?? range
  })
}

/** Kubernetes' own default of 64 where that fits below the pod range, else 8 bits below it: 256 nodes. */
function maskForIPv6(ranges: readonly string[]): number {
  const range = ranges.map(parseCidr).find((block) => block?.family === 6)
  return range === undefined || range === null ? 64 : Math.max(64, Math.min(range.prefix + 8, 124))
}

function deriveAddon(addon: Parsed['addons'][number]): Addon {
  const full =
    typeof addon === 'string'
      ? { name: addon, type: undefined, enabled: true, retries: 3, delay: 5, timeoutSeconds: 300, preInstall: [], postInstall: [] }
      : addon
  const type =
    full.type ?? ('chart' in full && full.chart !== undefined ? 'helm' : 'yaml' in full && full.yaml !== undefined ? 'yaml' : 'builtin')
  return { ...full, type, namespace: ('namespace' in full ? full.namespace : undefined) ?? (type === 'yaml' ? 'default' : full.name) }
}
