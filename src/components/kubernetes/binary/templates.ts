import type { Cluster, ClusterHost } from '../../../config/index.ts'
import { apiServerPort, etcdUrls, hostLayout } from '../../../config/index.ts'
import { apiServerArguments, controllerManagerArguments, nodeAddresses, schedulerArguments } from '../../../manifest/index.ts'
import type { Json } from '../../../util/json.ts'
import { type Arguments, apiClientEnvironment, confinement, execStart } from '../../../util/systemd.ts'

/** A certificate and its key. */
interface Pair {
  readonly cert: string
  readonly key: string
}

/** Where what was placed on a master lies. */
export interface MasterFiles {
  readonly authority: Pair
  readonly frontProxyAuthority: Pair
  readonly serving: Pair
  readonly kubeletClient: Pair
  readonly frontProxyClient: Pair
  readonly serviceAccount: { readonly publicKey: string; readonly key: string }
  /** What the API server needs to talk to etcd; nothing where that speaks no TLS or asks for no client certificate. */
  readonly etcd: { readonly authority: string | null; readonly client: Pair | null }
}

type Master = Pick<ClusterHost, 'internalAddress'>

/** All arguments of the API server on a master. */
export function apiServerCommand(cluster: Cluster, master: Master, files: MasterFiles): Arguments {
  const { spec } = cluster
  const { authority, client } = files.etcd
  return {
    'advertise-address': master.internalAddress,
    'client-ca-file': files.authority.cert,
    ...(authority === null ? {} : { 'etcd-cafile': authority }),
    ...(client === null ? {} : { 'etcd-certfile': client.cert, 'etcd-keyfile': client.key }),
    'etcd-servers': etcdUrls(cluster).join(','),
    'kubelet-certificate-authority': files.authority.cert,
    'kubelet-client-certificate': files.kubeletClient.cert,
    'kubelet-client-key': files.kubeletClient.key,
    'kubelet-preferred-address-types': 'InternalIP,ExternalIP,Hostname',
    'proxy-client-cert-file': files.frontProxyClient.cert,
    'proxy-client-key-file': files.frontProxyClient.key,
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-client-ca-file': files.frontProxyAuthority.cert,
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
    'secure-port': String(apiServerPort(spec)),
    'service-account-issuer': `https://kubernetes.default.svc.${spec.kubernetes.dnsDomain}`,
    'service-account-key-file': files.serviceAccount.publicKey,
    'service-account-signing-key-file': files.serviceAccount.key,
    'service-cluster-ip-range': spec.network.kubeServiceCIDR.join(','),
    'tls-cert-file': files.serving.cert,
    'tls-private-key-file': files.serving.key,
    ...apiServerArguments(cluster),
  }
}

/** All arguments of the controller manager on a master. */
export function controllerManagerCommand(cluster: Cluster, kubeconfig: string, files: MasterFiles): Arguments {
  const { kubernetes, network } = cluster.spec
  return {
    ...asClient(kubeconfig),
    'allocate-node-cidrs': 'true',
    'cluster-cidr': network.kubePodsCIDR.join(','),
    'cluster-name': kubernetes.clusterName,
    'cluster-signing-cert-file': files.authority.cert,
    'cluster-signing-key-file': files.authority.key,
    'requestheader-client-ca-file': files.frontProxyAuthority.cert,
    'client-ca-file': files.authority.cert,
    'root-ca-file': files.authority.cert,
    'service-account-private-key-file': files.serviceAccount.key,
    'service-cluster-ip-range': network.kubeServiceCIDR.join(','),
    'use-service-account-credentials': 'true',
    ...controllerManagerArguments(cluster),
  }
}

/** All arguments of the scheduler on a master. */
export const schedulerCommand = (cluster: Cluster, kubeconfig: string): Arguments => ({
  ...asClient(kubeconfig),
  ...schedulerArguments(cluster),
})

/** Programs of which one works and the others stand by; all ask the API server also who may ask them. */
const asClient = (kubeconfig: string): Arguments => ({
  'authentication-kubeconfig': kubeconfig,
  'authorization-kubeconfig': kubeconfig,
  kubeconfig,
  'leader-elect': 'true',
})

/** All arguments of the kubelet on a node. */
export const kubeletCommand = (
  cluster: Cluster,
  node: Pick<ClusterHost, 'name' | 'internalAddresses'>,
  { config, kubeconfig }: { readonly config: string; readonly kubeconfig: string },
): Arguments => ({
  config,
  'hostname-override': node.name,
  kubeconfig,
  'node-ip': nodeAddresses(cluster, node).join(','),
  ...cluster.spec.kubernetes.kubelet.extraArgs,
})

/** All arguments of kube-proxy on a node. */
export const kubeProxyCommand = ({ spec }: Cluster, config: string): Arguments => ({ config, ...spec.kubernetes.kubeProxy.extraArgs })

/** A program of Kubernetes as a service. */
export interface Unit {
  readonly program: 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubelet' | 'kube-proxy'
  readonly version: string
  readonly args: Arguments
  /** Directories it writes to besides those it is given by the system. */
  readonly writes?: readonly string[]
}

/** What a service is allowed, by what it does. */
const confinements = {
  /** A program that only talks; the API server may listen on a low port. */
  talks: ['CapabilityBoundingSet=CAP_NET_BIND_SERVICE', 'ProtectHome=yes', ...confinement].toSorted(),
  /** A program that sets up the network of the machine: packet filter, sysctls, modules. */
  networks: [
    'LockPersonality=yes',
    'NoNewPrivileges=yes',
    'PrivateTmp=yes',
    'ProtectHome=yes',
    'ProtectSystem=full',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
  ],
  /** A program that mounts for others: in a namespace of its own nobody would see it. Its pods outlive its restarts. */
  mounts: ['CPUAccounting=yes', 'KillMode=process', 'MemoryAccounting=yes'],
} as const

/** What differs between the services. */
const services: Readonly<
  Record<
    Unit['program'],
    { readonly is: string; readonly type: 'notify' | 'simple'; readonly after: string; readonly confined: readonly string[] }
  >
> = {
  'kube-apiserver': { is: 'API server', type: 'notify', after: 'network-online.target etcd.service', confined: confinements.talks },
  'kube-controller-manager': {
    is: 'controller manager',
    type: 'simple',
    after: 'network-online.target kube-apiserver.service',
    confined: confinements.talks,
  },
  'kube-scheduler': {
    is: 'scheduler',
    type: 'simple',
    after: 'network-online.target kube-apiserver.service',
    confined: confinements.talks,
  },
  kubelet: {
    is: 'kubelet',
    type: 'notify',
    after: 'network-online.target containerd.service crio.service docker.service cri-docker.service isulad.service',
    confined: confinements.mounts,
  },
  'kube-proxy': { is: 'kube-proxy', type: 'simple', after: 'network-online.target', confined: confinements.networks },
}

/** The unit of a program. The version is part of it, so that another program under the same name is started anew. */
export function unitOf({ program, version, args, writes = [] }: Unit): string {
  const { is, type, after, confined } = services[program]
  return `${[
    '[Unit]',
    `Description=Kubernetes ${is} ${version}`,
    `Documentation=https://kubernetes.io/docs/reference/command-line-tools-reference/${program}/`,
    `After=${after}`,
    'Wants=network-online.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    `Type=${type}`,
    ...(program === 'kube-apiserver' ? [] : apiClientEnvironment),
    `ExecStart=${execStart(`${hostLayout.programs}/${program}`, args)}`,
    'Restart=always',
    'RestartSec=1',
    // An API server would wait a minute for requests of nodes that are gone.
    'TimeoutStopSec=10s',
    'LimitNOFILE=1048576',
    'OOMScoreAdjust=-900',
    ...confined,
    ...writes.map((path) => `ReadWritePaths=${path}`),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ].join('\n')}\n`
}

const group = 'rbac.authorization.k8s.io'

/** Binds a role that Kubernetes brings along to somebody. */
const binding = (name: string, role: string, kind: 'Group' | 'User', subject: string): Json => ({
  apiVersion: `${group}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: group, kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: group, kind, name: subject }],
})

/** What Kubernetes itself does not allow its own parts, and kubeadm would. */
export const bootstrapBindings: readonly Json[] = [
  binding(
    'kubexm:node-autoapprove-certificate-rotation',
    'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    'Group',
    'system:nodes',
  ),
  binding('kubexm:apiserver-kubelet-client', 'system:kubelet-api-admin', 'User', 'kube-apiserver-kubelet-client'),
]
