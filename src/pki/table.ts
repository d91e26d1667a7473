import { compareVersions } from '../config/catalogue/versions.ts'
import type { Cluster, ClusterHost } from '../config/index.ts'
import { apiServerUrl, apiUrlFor, hostLayout, mastersOf, publicApiUrl } from '../config/index.ts'
import { rotatesServingCertificates } from '../manifest/index.ts'
import { apiServerNames, memberNames, nodeNames, registryNames } from './names.ts'

/** Who signs: each authority is trusted by other programs, so that a certificate of one is worth nothing to the others. */
export type Authority = 'kubernetes' | 'front-proxy' | 'etcd'

/** Every certificate with a key that lies on hosts as two files. */
export type LeafId =
  | 'apiserver'
  | 'apiserver-kubelet-client'
  | 'apiserver-etcd-client'
  | 'front-proxy-client'
  | 'etcd-server'
  | 'etcd-peer'
  | 'etcd-admin'
  | 'stacked-etcd-server'
  | 'stacked-etcd-peer'
  | 'stacked-etcd-healthcheck-client'
  | 'kubelet-server'
  | 'registry'

/** Every kubeconfig: a certificate, its key and where the API is, in one file. */
export type KubeconfigId = 'admin' | 'controller-manager' | 'scheduler' | 'kubelet' | 'kube-proxy' | 'joiner'

/** What a certificate may be used for. */
export type Usage = 'server' | 'client'

/** A certificate and its key as files on a host. */
export interface PairPaths {
  readonly cert: string
  readonly key: string
}

/** Who may hold a certificate: a host, or the machine kubexm runs on (null). */
type Holder = ClusterHost | null

interface Row {
  readonly signedBy: Authority
  /** The name it is held under: for Kubernetes, the user. */
  readonly commonName: string | ((host: ClusterHost) => string)
  /** For Kubernetes, the groups of the user. */
  readonly organizations?: readonly string[] | ((cluster: Cluster) => readonly string[])
  readonly usages: readonly Usage[]
  /** Whether this host needs one. */
  readonly isFor: (cluster: Cluster, host: ClusterHost) => boolean
}

interface LeafRow extends Row {
  /** The names and addresses a server is reached under. */
  readonly names?: (cluster: Cluster, host: ClusterHost) => readonly string[]
  readonly paths: PairPaths
}

interface KubeconfigRow extends Row {
  readonly path: string
  /** The URL of the API in it, where the caller names none. */
  readonly server: (cluster: Cluster, host: Holder) => string
  /** Made when it is asked for, for this long, and never kept. */
  readonly passing?: '2h'
  /** The machine kubexm runs on has one too. */
  readonly alsoLocal?: true
}

const pair = (directory: string, name: string): PairPaths => ({ cert: `${directory}/${name}.crt`, key: `${directory}/${name}.key` })

const { kubernetes, kubernetesPki, etcdPki, registryPki } = hostLayout
const stackedPki = `${kubernetesPki}/etcd`

const isMaster = (_cluster: Cluster, host: ClusterHost): boolean => host.roles.includes('master')
const isNode = (_cluster: Cluster, host: ClusterHost): boolean => host.roles.includes('master') || host.roles.includes('worker')
const isOurMember = ({ spec }: Cluster, host: ClusterHost): boolean => spec.etcd.type === 'kubexm' && host.roles.includes('etcd')
const isStackedMember = ({ spec }: Cluster, host: ClusterHost): boolean => spec.etcd.type === 'kubeadm' && host.roles.includes('master')
const hasKubeProxy = (cluster: Cluster, host: ClusterHost): boolean => isNode(cluster, host) && cluster.spec.kubernetes.proxyMode !== 'none'
const joinsByKubeadm = (cluster: Cluster, host: ClusterHost): boolean => isNode(cluster, host) && cluster.spec.kubernetes.type === 'kubeadm'
/** An etcd of others may ask for no client certificate. */
const showsItselfToEtcd = ({ spec: { etcd } }: Cluster, host: ClusterHost): boolean =>
  host.roles.includes('master') && (etcd.type !== 'external' || etcd.external?.certFile !== undefined)
const withoutKubeadm =
  (isFor: Row['isFor']): Row['isFor'] =>
  (cluster, host) =>
    cluster.spec.kubernetes.type === 'kubexm' && isFor(cluster, host)

/** kubeadm binds a group of its own to the administrators since v1.29; without kubeadm nothing does, and only the built-in group counts. */
const administrators = ({ spec: { kubernetes: k8s } }: Cluster): readonly string[] =>
  k8s.type === 'kubeadm' && compareVersions(k8s.version, 'v1.29.0') >= 0 ? ['kubeadm:cluster-admins'] : ['system:masters']

/** The authorities: their names, and where programs of Kubernetes and, for its own, etcd find them. */
export const authorities: Readonly<Record<Authority, { readonly commonName: string; readonly paths: PairPaths }>> = {
  kubernetes: { commonName: 'kubernetes', paths: pair(kubernetesPki, 'ca') },
  'front-proxy': { commonName: 'front-proxy-ca', paths: pair(kubernetesPki, 'front-proxy-ca') },
  etcd: { commonName: 'etcd-ca', paths: pair(stackedPki, 'ca') },
}

/** The authority of etcd on the hosts of an etcd that kubexm runs. */
export const etcdAuthorityOnMembers: PairPaths = pair(etcdPki, 'ca')

/** The pair of keys the tokens of service accounts are signed and checked with. */
export const serviceAccountPaths = { publicKey: `${kubernetesPki}/sa.pub`, key: `${kubernetesPki}/sa.key` } as const

/** One who only asks. */
const client = (signedBy: Authority, commonName: string, isFor: Row['isFor'], paths: PairPaths): LeafRow => ({
  signedBy,
  commonName,
  usages: ['client'],
  isFor,
  paths,
})

/** A member of etcd, to those who ask it and to the other members: it asks them too, and itself, for the JSON gateway. */
const member = (isFor: Row['isFor'], paths: PairPaths): LeafRow => ({
  signedBy: 'etcd',
  commonName: (host) => host.name,
  usages: ['server', 'client'],
  names: memberNames,
  isFor,
  paths,
})

/** Every leaf: who signs it, what it says, who holds it, and where. Names and paths are those kubeadm looks for. */
export const leaves: Readonly<Record<LeafId, LeafRow>> = {
  apiserver: {
    signedBy: 'kubernetes',
    commonName: 'kube-apiserver',
    usages: ['server'],
    names: apiServerNames,
    isFor: isMaster,
    paths: pair(kubernetesPki, 'apiserver'),
  },
  'apiserver-kubelet-client': {
    ...client('kubernetes', 'kube-apiserver-kubelet-client', isMaster, pair(kubernetesPki, 'apiserver-kubelet-client')),
    organizations: administrators,
  },
  'apiserver-etcd-client': client('etcd', 'kube-apiserver-etcd-client', showsItselfToEtcd, pair(kubernetesPki, 'apiserver-etcd-client')),
  'front-proxy-client': client('front-proxy', 'front-proxy-client', isMaster, pair(kubernetesPki, 'front-proxy-client')),
  'etcd-server': member(isOurMember, pair(etcdPki, 'server')),
  'etcd-peer': member(isOurMember, pair(etcdPki, 'peer')),
  'etcd-admin': client('etcd', 'root', isOurMember, pair(etcdPki, 'admin')),
  'stacked-etcd-server': member(isStackedMember, pair(stackedPki, 'server')),
  'stacked-etcd-peer': member(isStackedMember, pair(stackedPki, 'peer')),
  'stacked-etcd-healthcheck-client': client(
    'etcd',
    'kube-etcd-healthcheck-client',
    isStackedMember,
    pair(stackedPki, 'healthcheck-client'),
  ),
  'kubelet-server': {
    signedBy: 'kubernetes',
    commonName: (host) => `system:node:${host.name}`,
    organizations: ['system:nodes'],
    usages: ['server'],
    names: nodeNames,
    isFor: (cluster, host) => isNode(cluster, host) && !rotatesServingCertificates(cluster),
    paths: pair(kubernetesPki, 'kubelet-server'),
  },
  registry: {
    signedBy: 'kubernetes',
    commonName: 'registry',
    usages: ['server'],
    names: registryNames,
    isFor: ({ spec }, host) => host.roles.includes('registry') && (spec.registry.type === 'registry' || spec.registry.type === 'harbor'),
    paths: pair(registryPki, 'registry'),
  },
}

const ownApi = (cluster: Cluster, host: Holder): string => (host === null ? publicApiUrl(cluster) : apiUrlFor(cluster, host))

/** A user of the API as Kubernetes knows it, and where its kubeconfig lies. */
const user = (commonName: Row['commonName'], isFor: Row['isFor'], path: string): KubeconfigRow => ({
  signedBy: 'kubernetes',
  commonName,
  usages: ['client'],
  isFor,
  path,
  server: ownApi,
})

/** Every kubeconfig. With kubeadm those on hosts are made by kubeadm itself, from our authority. */
export const kubeconfigs: Readonly<Record<KubeconfigId, KubeconfigRow>> = {
  // kubeadm makes its own on the first master, and takes ours on those that join.
  admin: { ...user('kubernetes-admin', isMaster, hostLayout.adminKubeconfig), organizations: administrators, alsoLocal: true },
  'controller-manager': user('system:kube-controller-manager', withoutKubeadm(isMaster), `${kubernetes}/controller-manager.conf`),
  scheduler: user('system:kube-scheduler', withoutKubeadm(isMaster), `${kubernetes}/scheduler.conf`),
  kubelet: {
    ...user((host) => `system:node:${host.name}`, withoutKubeadm(isNode), `${kubernetes}/kubelet.conf`),
    organizations: ['system:nodes'],
  },
  'kube-proxy': user('system:kube-proxy', withoutKubeadm(hasKubeProxy), `${kubernetes}/kube-proxy.conf`),
  // What a bootstrap token is to kubeadm, but bound to a key and gone in two hours.
  joiner: {
    ...user('kubexm:joiner', joinsByKubeadm, `${kubernetes}/kubexm-join.conf`),
    organizations: ['system:bootstrappers:kubeadm:default-node-token'],
    passing: '2h',
    server: (cluster) => {
      const [first] = mastersOf(cluster)
      return first === undefined ? publicApiUrl(cluster) : apiServerUrl(cluster, first)
    },
  },
}

/** The ids of all leaves, in the order of the table. */
export const leafIds = Object.keys(leaves) as readonly LeafId[]
/** The ids of all kubeconfigs, in the order of the table. */
export const kubeconfigIds = Object.keys(kubeconfigs) as readonly KubeconfigId[]
