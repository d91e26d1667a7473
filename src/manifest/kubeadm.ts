import { posix } from 'node:path'
import { apiServerPort, type Cluster, type ClusterHost, etcdUrls, hostLayout } from '../config/index.ts'
import { parseDuration } from '../util/duration.ts'
import type { Json } from '../util/json.ts'
import type { Arguments } from '../util/systemd.ts'
import { apiServerArguments, controllerManagerArguments, schedulerArguments } from './control-plane.ts'
import { etcdArguments } from './etcd.ts'
import { kubeProxyConfiguration } from './kube-proxy.ts'
import { type KubeadmTraits, kubeadmTraits } from './kubeadm-traits.ts'
import { type KubeletChoices, type KubeletHost, kubeletConfiguration, type Manifest, runtimeEndpoint } from './kubelet.ts'
import { nodeAddresses, nodeTaints } from './node.ts'

/** What the configuration of kubeadm depends on at a host. */
export type KubeadmHost = KubeletHost & Pick<ClusterHost, 'name' | 'roles' | 'taints' | 'internalAddress' | 'internalAddresses'>

/** An image without the part of its name that kubeadm adds itself. */
interface ImageSource {
  readonly repository: string
  readonly tag: string
}

/** What others decide about a cluster that kubeadm makes. */
export interface KubeadmChoices extends Pick<KubeletChoices, 'serving'> {
  /** Where the images of Kubernetes itself come from, and those of etcd and CoreDNS, which have versions of their own. */
  readonly images: { readonly kubernetes: string; readonly etcd: ImageSource; readonly coredns: ImageSource }
  /** Names in the certificate of every API server: what `kubeadm certs renew` would put there again. */
  readonly certSans: readonly string[]
  /** The certificate of the authority that signs the kubelets' own. */
  readonly authority: string
  /** How API servers know an etcd that is not kubeadm's, and show themselves to it; nothing where it speaks no TLS. */
  readonly etcd: { readonly authority: string | null; readonly client: { readonly cert: string; readonly key: string } | null }
  /** Where patches lie on every host. */
  readonly patches: string
  /** The kubeconfig a joining host finds the cluster with. */
  readonly discovery: string
}

type Fields = { readonly [key: string]: Json }

/** What makes a control plane on a master: all documents of one file. */
export const initDocuments = (cluster: Cluster, master: KubeadmHost, choices: KubeadmChoices): readonly Manifest[] => [
  initConfiguration(cluster, master, choices),
  clusterConfiguration(cluster, choices),
  kubeletConfiguration(cluster, master, choices),
  ...(hasKubeProxy(cluster) ? [kubeProxyConfiguration(cluster)] : []),
]

/** What of a kubelet's configuration is a matter of its host: kubeadm gives all kubelets one configuration, and each its patches. */
export function kubeletPatch(cluster: Cluster, host: KubeletHost): Fields {
  const { cgroupDriver, failCgroupV1 } = kubeletConfiguration(cluster, host)
  return { ...(cgroupDriver === undefined ? {} : { cgroupDriver }), ...(failCgroupV1 === undefined ? {} : { failCgroupV1 }) }
}

function initConfiguration(cluster: Cluster, host: KubeadmHost, { patches }: KubeadmChoices): Manifest {
  return {
    apiVersion: traits(cluster).api,
    kind: 'InitConfiguration',
    // kubeadm always makes a token; nobody joins with one here, so that it may as well be over at once.
    bootstrapTokens: [{ ttl: '1s' }],
    localAPIEndpoint: localEndpoint(cluster, host),
    nodeRegistration: nodeRegistration(cluster, host),
    patches: { directory: patches },
  }
}

/** How a host joins the cluster, as a master or as a worker. */
export function joinConfiguration(cluster: Cluster, host: KubeadmHost, { patches, discovery }: KubeadmChoices): Manifest {
  return {
    apiVersion: traits(cluster).api,
    kind: 'JoinConfiguration',
    ...(host.roles.includes('master') ? { controlPlane: { localAPIEndpoint: localEndpoint(cluster, host) } } : {}),
    discovery: { file: { kubeConfigPath: discovery } },
    nodeRegistration: nodeRegistration(cluster, host),
    patches: { directory: patches },
  }
}

/** Whether the cluster has kube-proxies at all. */
const hasKubeProxy = ({ spec }: Cluster): boolean => spec.kubernetes.proxyMode !== 'none'

const traits = ({ spec }: Cluster): KubeadmTraits => kubeadmTraits(spec.kubernetes.version)

const localEndpoint = ({ spec }: Cluster, { internalAddress }: KubeadmHost): Fields => ({
  advertiseAddress: internalAddress,
  bindPort: apiServerPort(spec),
})

function nodeRegistration(cluster: Cluster, host: KubeadmHost): Fields {
  const { kubernetes, preflight } = cluster.spec
  const known = host.facts.cgroup !== 'v2' && traits(cluster).refusesCgroupV1 ? ['SystemVerification'] : []
  const ignored = [...new Set([...known, ...preflight.ignoreKubeadmErrors])]
  return {
    name: host.name,
    criSocket: runtimeEndpoint(cluster),
    kubeletExtraArgs: given(cluster, { 'node-ip': nodeAddresses(cluster, host).join(','), ...kubernetes.kubelet.extraArgs }),
    // An empty list is not the same as none: kubeadm would taint a master that is a worker too.
    taints: nodeTaints(host),
    // `all` goes alone.
    ...(ignored.length === 0 ? {} : { ignorePreflightErrors: ignored.includes('all') ? ['all'] : ignored }),
  }
}

function clusterConfiguration(cluster: Cluster, choices: KubeadmChoices): Manifest {
  const { kubernetes, network, controlPlaneEndpoint } = cluster.spec
  const { api, leavesOutAddons } = traits(cluster)
  return {
    apiVersion: api,
    kind: 'ClusterConfiguration',
    clusterName: kubernetes.clusterName,
    kubernetesVersion: kubernetes.version,
    controlPlaneEndpoint: `${controlPlaneEndpoint.domain}:${controlPlaneEndpoint.port}`,
    certificatesDir: hostLayout.kubernetesPki,
    imageRepository: choices.images.kubernetes,
    ...ownCertificates(cluster),
    networking: {
      podSubnet: network.kubePodsCIDR.join(','),
      serviceSubnet: network.kubeServiceCIDR.join(','),
      dnsDomain: kubernetes.dnsDomain,
    },
    apiServer: {
      certSANs: choices.certSans,
      extraArgs: given(cluster, {
        // Without it the API server takes any certificate for the kubelet's.
        ...(choices.serving === undefined ? {} : { 'kubelet-certificate-authority': choices.authority }),
        ...apiServerArguments(cluster),
      }),
      ...auditVolumes(cluster),
    },
    controllerManager: { extraArgs: given(cluster, controllerManagerArguments(cluster)) },
    scheduler: { extraArgs: given(cluster, schedulerArguments(cluster)) },
    etcd: etcd(cluster, choices),
    // CoreDNS is installed the same way whoever makes the control plane; the image still is what a check of kubeadm looks for.
    dns: leavesOutAddons ? { disabled: true } : source(choices.images.coredns),
    ...(leavesOutAddons && !hasKubeProxy(cluster) ? { proxy: { disabled: true } } : {}),
  }
}

const source = ({ repository, tag }: ImageSource): Fields => ({ imageRepository: repository, imageTag: tag })

/** What the certificates in kubeadm's own kubeconfigs are like. */
function ownCertificates(cluster: Cluster): Fields {
  const { CADuration, CertDuration, keyAlgorithm } = cluster.spec.certs
  if (!traits(cluster).choosesKeys) return keyAlgorithm === 'ECDSA-P256' ? { featureGates: { PublicKeysECDSA: true } } : {}
  return {
    encryptionAlgorithm: keyAlgorithm,
    certificateValidityPeriod: goDuration(CertDuration),
    caCertificateValidityPeriod: goDuration(CADuration),
  }
}

/** A duration as Go reads it: it knows no days. */
function goDuration(text: string): string {
  const seconds = Math.round((parseDuration(text) ?? 0) / 1000)
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds}s`
}

function etcd(cluster: Cluster, { images, etcd: { authority, client } }: KubeadmChoices): Fields {
  const { type, dataDir } = cluster.spec.etcd
  if (type !== 'kubeadm') {
    const files = { caFile: authority ?? '', certFile: client?.cert ?? '', keyFile: client?.key ?? '' }
    return { external: { endpoints: etcdUrls(cluster), ...files } }
  }
  const tuning = etcdArguments(cluster, `v${images.etcd.tag}`)
  return { local: { ...source(images.etcd), dataDir, extraArgs: given(cluster, tuning) } }
}

/** What the API server reads and writes outside the directories that kubeadm shows it. */
function auditVolumes({ spec }: Cluster): Fields {
  const { enabled, policyFile, logPath } = spec.kubernetes.apiServer.audit
  if (!enabled) return {}
  const logs = posix.dirname(logPath)
  return {
    extraVolumes: [
      { name: 'audit-policy', hostPath: policyFile, mountPath: policyFile, readOnly: true, pathType: 'File' },
      { name: 'audit-log', hostPath: logs, mountPath: logs, pathType: 'DirectoryOrCreate' },
    ],
  }
}

/** Arguments in the form the version wants. */
const given = (cluster: Cluster, args: Arguments): Json =>
  traits(cluster).extraArgs === 'map' ? args : Object.entries(args).map(([name, value]) => ({ name, value }))
