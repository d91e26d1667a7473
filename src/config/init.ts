import { fail } from '../error/index.ts'
import { kubernetesVersions } from './catalogue/versions.ts'
import { configError } from './load.ts'
import { parseCluster } from './parse.ts'
import type { Path } from './places.ts'
import { apiVersion } from './schema/cluster.ts'
import { onOneLine, schemaAt } from './schema-index.ts'

/** How the API servers are reached when there is more than one. */
export const highAvailability = ['none', 'haproxy', 'nginx', 'kube-vip', 'kubexm-kh', 'kubexm-kn', 'external'] as const

/** The answers a starter file is made from; everything but the hosts has a default. */
export interface InitOptions {
  readonly name?: string
  /** `node1=172.16.0.2`, or only the address: the names are then node1, node2, … */
  readonly hosts: readonly string[]
  readonly masters?: readonly string[]
  readonly workers?: readonly string[]
  readonly etcd?: readonly string[]
  readonly loadbalancers?: readonly string[]
  readonly registry?: string
  readonly type?: 'kubeadm' | 'kubexm'
  readonly etcdType?: 'kubexm' | 'kubeadm'
  readonly highAvailability?: (typeof highAvailability)[number]
  readonly vip?: string
  readonly user?: string
  readonly privateKeyPath?: string
  readonly version?: string
  readonly runtime?: 'containerd' | 'docker' | 'cri-o' | 'isulad'
  readonly plugin?: 'calico' | 'flannel' | 'cilium' | 'kube-ovn' | 'none'
  /** Where editors find the JSON Schema. */
  readonly schema?: string
}

/** Where `config init` puts the JSON Schema, beside the config. */
export const schemaFile = '.kubexm/cluster.schema.json'

/** A commented config that is valid as it stands. Answers that cannot make one are a config error. */
export function initConfig(options: InitOptions): string {
  const text = render(options)
  const result = parseCluster(text, 'the new config')
  if (result.errors.length > 0) throw configError('the new config', result)
  return text
}

function render(options: InitOptions): string {
  if (options.hosts.length === 0) throw fail('KX_USAGE', { what: 'no hosts are given', command: 'config init' })
  const hosts = options.hosts.map((host, i) => {
    const [name, address] = host.includes('=') ? (host.split('=', 2) as [string, string]) : [`node${i + 1}`, host]
    return { name, address }
  })
  const names = hosts.map(({ name }) => name)
  const balancers = options.loadbalancers ?? []
  const nodes = names.filter((name) => !balancers.includes(name) && name !== options.registry)
  const masters = options.masters ?? nodes.slice(0, nodes.length >= 3 ? 3 : 1)
  const others = nodes.filter((name) => !masters.includes(name))
  const workers = options.workers ?? (others.length > 0 ? others : masters)
  const ha = options.highAvailability ?? (masters.length > 1 ? 'haproxy' : 'none')
  const isExternal = ha === 'kubexm-kh' || ha === 'kubexm-kn' || ha === 'external'
  const lines = [
    `# yaml-language-server: $schema=${options.schema ?? schemaFile}`,
    '# Every field: kubexm config explain spec, or docs/config.md. Check the file: kubexm config validate -f FILE',
    `apiVersion: ${apiVersion}`,
    'kind: Cluster',
    'metadata:',
    ...told(2, ['metadata', 'name'], options.name ?? 'mycluster'),
    'spec:',
    ...comment(2, ['spec', 'hosts']),
    '  hosts:',
    ...hosts.map(({ name, address }) => `  - {name: ${name}, address: ${onOneLine(address)}}`),
    ...comment(2, ['spec', 'global']),
    '  global:',
    ...told(4, ['spec', 'global', 'user'], options.user ?? 'root'),
    ...told(4, ['spec', 'global', 'privateKeyPath'], options.privateKeyPath ?? '~/.ssh/id_ed25519'),
    '    # A password is better not written here: password: {env: NODE_PASSWORD}',
    ...comment(2, ['spec', 'roleGroups']),
    '  roleGroups:',
    ...group('master', masters),
    ...(options.etcd === undefined ? [] : group('etcd', options.etcd)),
    ...group('worker', workers),
    ...(balancers.length === 0 ? [] : group('loadbalancer', balancers)),
    ...(options.registry === undefined ? [] : group('registry', [options.registry])),
    ...comment(2, ['spec', 'controlPlaneEndpoint']),
    '  controlPlaneEndpoint:',
    ...told(4, ['spec', 'controlPlaneEndpoint', 'externalLoadBalancer'], isExternal ? ha : ''),
    ...told(4, ['spec', 'controlPlaneEndpoint', 'internalLoadbalancer'], isExternal || ha === 'none' ? '' : ha),
    ...told(4, ['spec', 'controlPlaneEndpoint', 'domain'], 'lb.kubexm.local'),
    ...told(4, ['spec', 'controlPlaneEndpoint', 'lb_address'], options.vip ?? ''),
    '    port: 6443',
    ...comment(2, ['spec', 'kubernetes']),
    '  kubernetes:',
    ...told(4, ['spec', 'kubernetes', 'type'], options.type ?? 'kubeadm'),
    ...told(4, ['spec', 'kubernetes', 'version'], options.version ?? kubernetesVersions.default),
    '    containerRuntime:',
    ...told(6, ['spec', 'kubernetes', 'containerRuntime', 'type'], options.runtime ?? 'containerd'),
    ...told(4, ['spec', 'kubernetes', 'proxyMode'], 'ipvs'),
    ...comment(2, ['spec', 'etcd']),
    '  etcd:',
    ...told(4, ['spec', 'etcd', 'type'], options.etcdType ?? 'kubexm'),
    ...comment(2, ['spec', 'network']),
    '  network:',
    ...told(4, ['spec', 'network', 'plugin'], options.plugin ?? 'flannel'),
    ...told(4, ['spec', 'network', 'kubePodsCIDR'], '10.233.64.0/18'),
    ...told(4, ['spec', 'network', 'kubeServiceCIDR'], '10.233.0.0/18'),
    ...comment(2, ['spec', 'addons']),
    '  addons: []',
  ]
  return `${lines.join('\n')}\n`
}

const comment = (indent: number, path: Path): readonly string[] => {
  const about = schemaAt(path)?.description
  return about === undefined ? [] : [`${' '.repeat(indent)}# ${about}`]
}

const told = (indent: number, path: Path, value: string): readonly string[] => [
  ...comment(indent, path),
  `${' '.repeat(indent)}${path.at(-1)}: ${onOneLine(value)}`,
]

const group = (role: string, names: readonly string[]): readonly string[] => [
  ...comment(4, ['spec', 'roleGroups', role]),
  `    ${role}:`,
  ...names.map((name) => `    - ${onOneLine(name)}`),
]
