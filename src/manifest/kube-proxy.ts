import type { Cluster } from '../config/index.ts'
import { overlaid } from '../util/overlay.ts'
import type { Manifest } from './kubelet.ts'

/** What one kube-proxy has of its own where each has a configuration file of its own. */
export interface OwnKubeProxy {
  readonly kubeconfig: string
  readonly nodeName: string
}

/** The configuration of kube-proxy, with what the user says about it laid over; without `own` it is one for all nodes. */
export function kubeProxyConfiguration({ spec: { kubernetes, network } }: Cluster, own?: OwnKubeProxy): Manifest {
  const { proxyMode, masqueradeAll, kubeProxy } = kubernetes
  const gates = { ...kubernetes.featureGates, ...kubeProxy.featureGates }
  const base: Manifest = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    ...(network.kubeServiceCIDR[0]?.includes(':') === true ? { bindAddress: '::' } : {}),
    ...(own === undefined ? {} : { clientConnection: { kubeconfig: own.kubeconfig } }),
    clusterCIDR: network.kubePodsCIDR.join(','),
    ...(Object.keys(gates).length === 0 ? {} : { featureGates: gates }),
    ...(own === undefined ? {} : { hostnameOverride: own.nodeName }),
    // ipvs takes this from the section of iptables, whose rules it uses for it.
    ...(masqueradeAll ? { [proxyMode === 'nftables' ? 'nftables' : 'iptables']: { masqueradeAll: true } } : {}),
    mode: proxyMode,
  }
  return overlaid(base, kubeProxy.configuration)
}
