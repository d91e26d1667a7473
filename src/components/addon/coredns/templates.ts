import { controlPlaneTaint, type Manifest } from '../../../manifest/index.ts'
import { sha256 } from '../../../util/hash.ts'
import type { Json } from '../../../util/json.ts'
import { toYaml } from '../../../util/yaml.ts'

/** What CoreDNS answers, and whom it asks. */
export interface CorefileSettings {
  /** The domain of the cluster. */
  readonly domain: string
  /** Lines of a hosts file, or nothing. */
  readonly hosts: string
  /**
   * What others answer for: reads spec.dns.coredns.externalZones.zones, reads spec.dns.coredns.externalZones.nameservers,
   * reads spec.dns.coredns.externalZones.cache, reads spec.dns.coredns.externalZones.rewrite
   */
  readonly zones: readonly {
    readonly zones: readonly string[]
    readonly nameservers: readonly string[]
    /** Seconds; 0 keeps nothing. */
    readonly cache: number
    readonly rewrite: readonly string[]
  }[]
  /** A block of the rewrite plugin, or nothing. */
  readonly rewriteBlock: string
  /** Servers, or a file that names them; null where there are none: forwarding to nobody would keep CoreDNS from starting. */
  readonly upstreams: readonly string[] | null
  readonly policy: string
  readonly maxConcurrent: number
  readonly additional: string
}

/** What the manifests of CoreDNS are made from. */
export interface CorednsSettings extends CorefileSettings {
  readonly image: string
  readonly replicas: number
  /** Where pods ask: an address of each family. */
  readonly addresses: readonly string[]
}

const directory = '/etc/coredns'

const block = (head: string, lines: readonly string[]): readonly string[] => [`${head} {`, ...lines.map((line) => `    ${line}`), '}']

/** Lines as the user wrote them, without what all have in front. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const filled = lines.filter((line) => line !== '')
  const margin = Math.min(...filled.map((line) => line.length - line.trimStart().length))
  return filled.map((line) => line.slice(margin))
}

/** The Corefile: zones of others first, then everything else. */
export function corefile(settings: CorefileSettings): string {
  const { domain, zones, rewriteBlock, upstreams, policy, maxConcurrent, additional } = settings
  const hosts = settings.hosts.trim() === '' ? [] : block(`hosts ${directory}/hosts`, ['fallthrough'])
  const external = zones.flatMap((zone) => [
    ...block(zone.zones.join(' '), [
      'errors',
      ...hosts,
      ...zone.rewrite.map((rule) => `rewrite ${rule}`),
      ...(zone.cache === 0 ? [] : [`cache ${zone.cache}`]),
      `forward . ${zone.nameservers.join(' ')}`,
      'reload',
      'loadbalance',
    ]),
  ])
  const forward =
    upstreams === null
      ? []
      : [...block(`forward . ${upstreams.join(' ')}`, [`max_concurrent ${maxConcurrent}`, `policy ${policy}`]), 'loop']
  const own = block('.:53', [
    'errors',
    ...block('health', ['lameduck 5s']),
    'ready',
    ...hosts,
    ...linesOf(rewriteBlock),
    ...block(`kubernetes ${domain} in-addr.arpa ip6.arpa`, ['pods insecure', 'fallthrough in-addr.arpa ip6.arpa', 'ttl 30']),
    'prometheus :9153',
    ...forward,
    // What the cluster itself knows is at hand, and would be old in a cache.
    ...block('cache 30', [`disable success ${domain}`, `disable denial ${domain}`]),
    'reload',
    'loadbalance',
    ...linesOf(additional),
  ])
  return `${[...external, ...own].join('\n')}\n`
}

const name = 'coredns'
const namespace = 'kube-system'
const selected = { 'k8s-app': 'kube-dns' }
const role = 'system:coredns'

/** Where the pods of CoreDNS are. */
export const corednsNames = { namespace, deployment: name } as const

/** All objects of CoreDNS, in the order in which they can be made. */
export const corednsYaml = (settings: CorednsSettings): string =>
  toYaml(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: role },
      rules: [
        { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: filesOf(settings) },
    deployment(settings),
    service(settings),
  )

const filesOf = (settings: CorefileSettings): Readonly<Record<string, string>> => ({
  Corefile: corefile(settings),
  ...(settings.hosts.trim() === '' ? {} : { hosts: `${linesOf(settings.hosts).join('\n')}\n` }),
})

const port = (containerPort: number, portName: string, protocol: 'TCP' | 'UDP' = 'TCP'): Json => ({
  containerPort,
  name: portName,
  protocol,
})

function deployment(settings: CorednsSettings): Manifest {
  const container: Json = {
    name,
    image: settings.image,
    imagePullPolicy: 'IfNotPresent',
    args: ['-conf', `${directory}/Corefile`],
    resources: { limits: { memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
    ports: [
      port(53, 'dns', 'UDP'),
      port(53, 'dns-tcp'),
      port(9153, 'metrics'),
      port(8080, 'liveness-probe'),
      port(8181, 'readiness-probe'),
    ],
    livenessProbe: {
      httpGet: { path: '/health', port: 'liveness-probe' },
      initialDelaySeconds: 60,
      timeoutSeconds: 5,
      failureThreshold: 5,
    },
    // Often, because names are wanted as soon as they can be had.
    readinessProbe: { httpGet: { path: '/ready', port: 'readiness-probe' }, periodSeconds: 2 },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [{ name: 'config-volume', mountPath: directory, readOnly: true }],
  }
  const apart: Json = {
    weight: 100,
    podAffinityTerm: { labelSelector: { matchLabels: selected }, topologyKey: 'kubernetes.io/hostname' },
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: selected },
    spec: {
      replicas: settings.replicas,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: selected },
      template: {
        metadata: {
          labels: selected,
          // CoreDNS would find other settings by itself, but only after a while.
          annotations: { 'kubexm.mensylisir.io/configuration': sha256(Object.values(filesOf(settings)).join('\n')).slice(0, 16) },
        },
        spec: {
          affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart] } },
          containers: [container],
          // It is the name server of the others and asks those of its host.
          dnsPolicy: 'Default',
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          priorityClassName: 'system-cluster-critical',
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          serviceAccountName: name,
          tolerations: [
            { key: 'CriticalAddonsOnly', operator: 'Exists' },
            { key: controlPlaneTaint.key, operator: 'Exists', effect: controlPlaneTaint.effect },
          ],
          volumes: [{ name: 'config-volume', configMap: { name } }],
        },
      },
    },
  }
}

function service({ addresses }: CorednsSettings): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kube-dns',
      namespace,
      labels: { ...selected, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' },
      annotations: { 'prometheus.io/port': '9153', 'prometheus.io/scrape': 'true' },
    },
    spec: {
      clusterIP: addresses[0] ?? '',
      clusterIPs: addresses,
      ipFamilies: addresses.map((address) => (address.includes(':') ? 'IPv6' : 'IPv4')),
      ipFamilyPolicy: addresses.length > 1 ? 'RequireDualStack' : 'SingleStack',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 'dns-tcp' },
        { name: 'metrics', port: 9153, protocol: 'TCP', targetPort: 'metrics' },
      ],
      selector: selected,
    },
  }
}
