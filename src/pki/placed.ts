import { type Cluster, type ClusterHost, hostLayout } from '../config/index.ts'
import { authorities, etcdAuthorityOnMembers, kubeconfigIds, kubeconfigs, leafIds, leaves } from './table.ts'

/** A certificate that a host of the cluster has to have. */
export interface PlacedCertificate {
  readonly what: string
  /** Where it may lie: the first of these that is there counts. */
  readonly paths: readonly string[]
}

/** What the kubelet got from the cluster when it renewed its certificate: from then on it uses no other. */
const renewedKubelet = `${hostLayout.kubelet}/pki/kubelet-client-current.pem`

/** The certificates that lie on a host, whoever made them there: kubeadm writes kubeconfigs of its own, under the names we give ours. */
export function placedCertificates(cluster: Cluster, host: ClusterHost): readonly PlacedCertificate[] {
  const { kubernetes, etcd } = cluster.spec
  const [isMaster, isNode] = [host.roles.includes('master'), host.roles.includes('master') || host.roles.includes('worker')]
  const byKubeadm = kubernetes.type === 'kubeadm' ? [...(isMaster ? controlPlane : []), ...(isNode ? (['kubelet'] as const) : [])] : []
  const access = [
    ...kubeconfigIds.filter((id) => kubeconfigs[id].passing === undefined && kubeconfigs[id].isFor(cluster, host)),
    ...byKubeadm,
  ]
  return [
    ...(isNode ? [authority('kubernetes')] : []),
    ...(isMaster ? [authority('front-proxy')] : []),
    ...(etcd.type === 'kubexm' && host.roles.includes('etcd') ? [{ what: 'etcd authority', paths: [etcdAuthorityOnMembers.cert] }] : []),
    ...leafIds.filter((id) => leaves[id].isFor(cluster, host)).map((id) => ({ what: id, paths: [leaves[id].paths.cert] })),
    ...access.map((id) => ({ what: id, paths: id === 'kubelet' ? [renewedKubelet, kubeconfigs[id].path] : [kubeconfigs[id].path] })),
  ]
}

const controlPlane = ['admin', 'controller-manager', 'scheduler'] as const

const authority = (of: 'kubernetes' | 'front-proxy'): PlacedCertificate => ({
  what: `${of} authority`,
  paths: [authorities[of].paths.cert],
})
