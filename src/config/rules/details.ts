import { isIP } from 'node:net'
import { canonicalJson, type Json } from '../../util/json.ts'
import { closest } from '../../util/suggest.ts'
import type { Cluster } from '../cluster.ts'
import type { Rule, RuleContext } from '../context.ts'
import type { Path } from '../places.ts'
import { builtinAddons } from '../schema/services.ts'
import { SecretSource } from '../secret.ts'

const timeServers: Rule<Cluster> = ({ spec }, context) => {
  for (const [index, server] of spec.system.ntpServers.entries()) {
    if (context.namedHosts.has(server) || isIP(server) !== 0 || /^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/.test(server)) continue
    const near = closest(server, [...context.namedHosts])
    context.error(
      'KX_CONFIG_NTP',
      { seen: server, how: near === null ? 'write the name of a host, a domain name or an address' : `did you mean ${near}?` },
      ['spec', 'system', 'ntpServers', index],
      server,
    )
  }
}

const labelKey = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

const labelsAndTaints: Rule<Cluster> = ({ spec }, context) => {
  for (const [index, host] of spec.hosts.entries()) {
    const path = ['spec', 'hosts', index]
    for (const [key, value] of Object.entries(host.labels)) checkWord('label', key, value, [...path, 'labels', key], context)
    for (const [i, { key, value }] of host.taints.entries()) checkWord('taint', key, value, [...path, 'taints', i, 'key'], context)
    for (const key of Object.keys(host.annotations)) checkWord('annotation', key, '', [...path, 'annotations', key], context)
  }
}

function checkWord(kind: string, key: string, value: string, path: Path, context: RuleContext): void {
  const how = 'use letters, digits, -, _ and . , at most 63 of them, a letter or digit at both ends; a prefix is a domain and a slash'
  if (!labelKey.test(key))
    context.error('KX_CONFIG_LABEL', { kind, seen: key, what: 'the key is not of the form prefix/name', how }, path, key)
  else if (!labelValue.test(value))
    context.error(
      'KX_CONFIG_LABEL',
      { kind, seen: `${key}=${value}`, what: 'the value has characters that are not allowed, or is too long', how },
      path,
      value,
    )
}

const registryHosts: Rule<Cluster> = ({ spec: { registry, roleGroups } }, context) => {
  const [path, groups] = [
    ['spec', 'registry', 'type'],
    ['spec', 'roleGroups', 'registry'],
  ]
  const installed = registry.type === 'registry' || registry.type === 'harbor'
  const hosts = roleGroups.registry
  if (installed && hosts.length === 0 && !context.isWritten([...groups, 0])) {
    context.error(
      'KX_CONFIG_REGISTRY',
      { what: `type ${registry.type} needs a host`, how: 'list one host under spec.roleGroups.registry, or write type: external or none' },
      path,
      registry.type,
    )
  }
  if (installed && hosts.length > 1)
    context.error('KX_CONFIG_REGISTRY', { what: `${hosts.length} hosts have the registry role`, how: 'keep one of them' }, groups)
  if (!installed && hosts.length > 0) {
    context.warn(
      'KX_CONFIG_UNUSED',
      { what: 'the registry role', why: `registry.type is ${registry.type}`, how: 'write registry.type: registry or harbor' },
      groups,
    )
  }
  if (registry.type === 'external' && registry.privateRegistry === '' && !context.isWrong(['spec', 'registry'])) {
    context.error('KX_CONFIG_REGISTRY', { what: 'type external needs privateRegistry', how: 'write the domain of your registry' }, [
      'spec',
      'registry',
      'privateRegistry',
    ])
  }
}

const addonSources: Rule<Cluster> = ({ spec }, context) => {
  const names = new Set<string>()
  for (const [index, addon] of spec.addons.entries()) {
    const wrong = (what: string, how: string) =>
      context.error('KX_CONFIG_ADDON', { name: addon.name, what, how }, ['spec', 'addons', index], addon.name)
    const near = closest(addon.name, builtinAddons)
    if (addon.type === 'builtin' && !(builtinAddons as readonly string[]).includes(addon.name)) {
      wrong(
        'is not built in',
        near === null
          ? `built in are ${builtinAddons.join(', ')}; for others give chart or yaml`
          : `did you mean ${near}? For others give chart or yaml`,
      )
    }
    if (addon.type === 'helm' && (addon.chart === undefined || (addon.chart.path === undefined && addon.chart.name === undefined)))
      wrong('type helm needs a chart', 'give chart.name with chart.repo, or chart.path')
    if (addon.type === 'yaml' && addon.yaml === undefined) wrong('type yaml needs manifests', 'give yaml.path')
    if (addon.chart !== undefined && addon.yaml !== undefined) wrong('has both a chart and manifests', 'make two addons of it')
    if (names.has(addon.name)) wrong('is listed twice', 'give each addon its own name')
    names.add(addon.name)
  }
}

/** One warning for each kind of secret: a hundred hosts with a password are one mistake. */
const literalSecrets: Rule<Cluster> = (cluster, context) => {
  const found = new Map<string, { readonly path: Path; count: number }>()
  for (const { path, secret } of secretsIn(cluster, [])) {
    if (secret.reference.kind === 'redacted') context.warn('KX_CONFIG_PLACEHOLDER', {}, path)
    if (secret.reference.kind !== 'literal') continue
    const field = String(path.at(-1))
    const known = found.get(field)
    if (known === undefined) found.set(field, { path, count: 1 })
    else known.count++
  }
  for (const [field, { path, count }] of found) context.warn('KX_CONFIG_LITERAL_SECRET', { field, count }, path)
}

function secretsIn(value: unknown, path: Path, found: { readonly path: Path; readonly secret: SecretSource }[] = []): typeof found {
  if (value instanceof SecretSource) found.push({ path, secret: value })
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object') secretsIn(inner, [...path, Array.isArray(value) ? Number(key) : key], found)
    }
  }
  return found
}

/** Settings of a plugin or runtime that was not chosen: most likely the choice was forgotten. */
export const unusedBlocks =
  (defaults: Cluster): Rule<Cluster> =>
  ({ spec }, context) => {
    const check = (path: readonly string[], chosen: string, own: string, block: unknown, standard: unknown) => {
      if (chosen === own || canonicalJson(block as Json) === canonicalJson(standard as Json) || !context.isWritten(path)) return
      context.warn(
        'KX_CONFIG_UNUSED',
        { what: path.slice(1).join('.'), why: `${chosen === '' ? 'nothing' : chosen} is chosen`, how: `choose ${own}` },
        path,
      )
    }
    for (const [name, own] of [
      ['calico', 'calico'] as const,
      ['flannel', 'flannel'] as const,
      ['cilium', 'cilium'] as const,
      ['kubeovn', 'kube-ovn'] as const,
    ]) {
      check(['spec', 'network', name], spec.network.plugin, own, spec.network[name], defaults.spec.network[name])
    }
    const runtime = spec.kubernetes.containerRuntime
    for (const [name, own] of [
      ['containerd', 'containerd'] as const,
      ['docker', 'docker'] as const,
      ['crio', 'cri-o'] as const,
      ['isulad', 'isulad'] as const,
    ]) {
      check(
        ['spec', 'kubernetes', 'containerRuntime', name],
        runtime.type,
        own,
        runtime[name],
        defaults.spec.kubernetes.containerRuntime[name],
      )
    }
    check(['spec', 'kubernetes', 'kubeadm'], spec.kubernetes.type, 'kubeadm', spec.kubernetes.kubeadm, defaults.spec.kubernetes.kubeadm)
    check(
      ['spec', 'registry', 'harborConfig'],
      spec.registry.type,
      'harbor',
      spec.registry.harborConfig,
      defaults.spec.registry.harborConfig,
    )
  }

/** Rules about single fields that a schema cannot express. */
export const detailRules: readonly Rule<Cluster>[] = [timeServers, labelsAndTaints, registryHosts, addonSources, literalSecrets]
