import type { Manifest } from '../../../manifest/index.ts'
import { sha256 } from '../../../util/hash.ts'
import type { Json } from '../../../util/json.ts'
import { toYaml } from '../../../util/yaml.ts'

/** What flannel's manifests are made from. */
export interface FlannelSettings {
  readonly images: { readonly daemon: string; readonly plugin: string }
  /** The addresses of pods: one range, or an IPv4 and an IPv6 one. */
  readonly podRanges: readonly string[]
  readonly backend:
    | { readonly type: 'vxlan'; readonly vni: number; readonly port: number; readonly directRouting: boolean }
    | { readonly type: 'host-gw' | 'wireguard' }
  /** Rules for nftables, as kube-proxy makes them; else for iptables. */
  readonly nftables: boolean
  /** Where container runtimes look for configurations and programs of the network. */
  readonly cniConfig: string
  readonly cniPlugins: string
  /** Where the API answers under a name that every host knows. */
  readonly api: { readonly host: string; readonly port: number }
}

/** Where the pods of flannel are. */
export const flannelNames = {
  namespace: 'kube-flannel',
  daemonSet: 'kube-flannel-ds',
  conflist: '10-flannel.conflist',
  plugin: 'flannel',
} as const

const { namespace } = flannelNames
const labels = { app: 'flannel', 'k8s-app': 'flannel', tier: 'node' }
const subnetFile = '/run/flannel/subnet.env'

/** All objects of flannel, in the order in which they can be made. */
export const flannelYaml = (settings: FlannelSettings): string =>
  toYaml(
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'k8s-app': 'flannel', 'pod-security.kubernetes.io/enforce': 'privileged' } },
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'flannel', namespace, labels: { 'k8s-app': 'flannel' } } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'flannel', labels: { 'k8s-app': 'flannel' } },
      rules: [
        { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
        { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'flannel', labels: { 'k8s-app': 'flannel' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'flannel' },
      subjects: [{ kind: 'ServiceAccount', name: 'flannel', namespace }],
    },
    configMap(settings),
    daemonSet(settings),
  )

const configMap = (settings: FlannelSettings): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kube-flannel-cfg', namespace, labels },
  data: { 'cni-conf.json': inJson(cniConf), 'net-conf.json': inJson(netConf(settings)) },
})

const inJson = (value: Json): string => `${JSON.stringify(value, null, 2)}\n`

const cniConf: Json = {
  name: 'cbr0',
  cniVersion: '0.3.1',
  plugins: [
    { type: 'flannel', delegate: { hairpinMode: true, isDefaultGateway: true } },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
}

const isSix = (range: string): boolean => range.includes(':')

function netConf({ podRanges, nftables, backend }: FlannelSettings): Json {
  const four = podRanges.find((range) => !isSix(range))
  const six = podRanges.find(isSix)
  return {
    EnableIPv4: four !== undefined,
    ...(four === undefined ? {} : { Network: four }),
    EnableIPv6: six !== undefined,
    ...(six === undefined ? {} : { IPv6Network: six }),
    EnableNFTables: nftables,
    Backend:
      backend.type === 'vxlan'
        ? { Type: 'vxlan', VNI: backend.vni, Port: backend.port, DirectRouting: backend.directRouting }
        : { Type: backend.type },
  }
}

const fromField = (name: string, fieldPath: string): Json => ({ name, valueFrom: { fieldRef: { fieldPath } } })

/** Only the address the cluster knows a node by is the right one: the interface of the default route may be another, and there may be none. */
function daemon({ podRanges }: FlannelSettings): {
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly env: Json
} {
  const flags = ['--ip-masq', '--kube-subnet-mgr']
  if (podRanges.length === 1) {
    return { command: ['/opt/bin/flanneld'], args: [...flags, '--iface=$(HOST_IP)'], env: fromField('HOST_IP', 'status.hostIP') }
  }
  // Of two families flannel wants both addresses by name, and a pod gets them as one text.
  const script = [
    'IFS=,',
    'for ip in $HOST_IPS; do case $ip in *:*) six=$ip ;; *) four=$ip ;; esac; done',
    `exec /opt/bin/flanneld ${flags.join(' ')} --iface="$four" --public-ipv6="$six"`,
  ].join('\n')
  return { command: ['/bin/sh', '-c'], args: [script], env: fromField('HOST_IPS', 'status.hostIPs') }
}

/**
 * With its configuration in place a node is ready and gets pods, but the plugin reads the subnet from a file that flannel writes: without
 * it the first pods fail, and are tried again only ten seconds later. So the configuration comes when the subnet is there, and in one go.
 */
const announce = (cniConfig: string): string =>
  [
    `until test -s ${subnetFile}; do sleep 0.2 || sleep 1; done`,
    `cp -f /etc/kube-flannel/cni-conf.json ${cniConfig}/${flannelNames.conflist}.new`,
    `mv -f ${cniConfig}/${flannelNames.conflist}.new ${cniConfig}/${flannelNames.conflist}`,
  ].join(' && ')

function daemonSet(settings: FlannelSettings): Manifest {
  const { images, cniConfig, cniPlugins } = settings
  const { command, args, env } = daemon(settings)
  const pod: Json = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] }],
        },
      },
    },
    hostNetwork: true,
    priorityClassName: 'system-node-critical',
    serviceAccountName: 'flannel',
    // Without a network a node is good for nothing, whatever its taints are for.
    tolerations: [{ operator: 'Exists' }],
    initContainers: [
      {
        name: 'install-cni-plugin',
        image: images.plugin,
        imagePullPolicy: 'IfNotPresent',
        command: ['cp'],
        args: ['-f', '/flannel', `${cniPlugins}/${flannelNames.plugin}`],
        volumeMounts: [{ name: 'cni-plugin', mountPath: cniPlugins }],
      },
    ],
    containers: [
      {
        name: 'kube-flannel',
        image: images.daemon,
        imagePullPolicy: 'IfNotPresent',
        command,
        args,
        env: [
          fromField('POD_NAME', 'metadata.name'),
          fromField('POD_NAMESPACE', 'metadata.namespace'),
          env,
          { name: 'EVENT_QUEUE_DEPTH', value: '5000' },
          // The service of the API is there only once kube-proxy is, and flannel gives up when it gets no answer.
          { name: 'KUBERNETES_SERVICE_HOST', value: settings.api.host },
          { name: 'KUBERNETES_SERVICE_PORT', value: String(settings.api.port) },
        ],
        resources: { requests: { cpu: '100m', memory: '50Mi' } },
        securityContext: { privileged: false, capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
        lifecycle: { postStart: { exec: { command: ['/bin/sh', '-c', announce(cniConfig)] } } },
        startupProbe: { exec: { command: ['test', '-s', subnetFile] }, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 120 },
        volumeMounts: [
          { name: 'run', mountPath: '/run/flannel' },
          { name: 'cni', mountPath: cniConfig },
          { name: 'flannel-cfg', mountPath: '/etc/kube-flannel/' },
          { name: 'xtables-lock', mountPath: '/run/xtables.lock' },
        ],
      },
    ],
    volumes: [
      { name: 'run', hostPath: { path: '/run/flannel', type: 'DirectoryOrCreate' } },
      { name: 'cni-plugin', hostPath: { path: cniPlugins, type: 'DirectoryOrCreate' } },
      { name: 'cni', hostPath: { path: cniConfig, type: 'DirectoryOrCreate' } },
      { name: 'flannel-cfg', configMap: { name: 'kube-flannel-cfg' } },
      { name: 'xtables-lock', hostPath: { path: '/run/xtables.lock', type: 'FileOrCreate' } },
    ],
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: flannelNames.daemonSet, namespace, labels },
    spec: {
      selector: { matchLabels: { app: 'flannel' } },
      // Packets flow on while flannel itself starts anew: several nodes at once do no harm.
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: {
        metadata: {
          labels,
          // flannel reads its configuration once: other settings make other pods.
          annotations: { 'kubexm.mensylisir.io/configuration': sha256(inJson(netConf(settings))).slice(0, 16) },
        },
        spec: pod,
      },
    },
  }
}
