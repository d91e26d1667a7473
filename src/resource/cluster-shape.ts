import { type Cluster, hostsOf } from '../config/index.ts'
import type { ClusterShape } from './artifacts.ts'
import type { Arch } from './catalogue.ts'
import { formatReference, parseReference } from './oci/reference.ts'
import { withV } from './version.ts'

/** As much of a config as decides what the cluster needs; `archOf` tells what the config leaves to be detected. */
export function shapeOf(cluster: Cluster, archOf: (host: string) => Arch): ClusterShape {
  const { kubernetes, etcd, network, controlPlaneEndpoint, registry, addons, system } = cluster.spec
  const { debs, rpms } = system
  const { haproxy, nginxLB, kubevip, internalLoadbalancer } = controlPlaneEndpoint
  const { type: runtime, containerd } = kubernetes.containerRuntime
  const pause = runtime === 'containerd' ? containerd.pause : undefined
  const image = { haproxy: haproxy.image, nginx: nginxLB.image, 'kube-vip': kubevip.image, '': undefined }[internalLoadbalancer]
  return {
    kubernetesVersion: withV(kubernetes.version),
    kubernetesType: kubernetes.type,
    etcdType: etcd.type,
    etcdVersion: etcd.version,
    runtime: { type: runtime, version: kubernetes.containerRuntime.version, nerdctl: containerd.nerdctl },
    ...(pause === undefined ? {} : { pauseImage: formatReference(parseReference(pause)) }),
    cni: networkPlugin(network),
    externalLoadBalancer: controlPlaneEndpoint.externalLoadBalancer,
    internalLoadBalancer: controlPlaneEndpoint.internalLoadbalancer,
    ...(image === undefined ? {} : { balancerImage: formatReference(parseReference(image)) }),
    registry: registry.type,
    ...(registry.registryConfig.version === undefined ? {} : { registryVersion: registry.registryConfig.version }),
    addons: addons.filter((addon) => addon.enabled && addon.type === 'builtin').map((addon) => addon.name),
    ...(debs.length + rpms.length === 0 ? {} : { extra: { packages: [{ name: 'system', deb: debs, rpm: rpms }] } }),
    timeSync: system.ntpServers.length > 0,
    hosts: hostsOf(cluster).map(({ name, roles, arch }) => ({
      name,
      roles: roles.filter((role) => role !== 'storage'),
      arch: arch ?? archOf(name),
    })),
  }
}

/** The network plugin and its version, where the config's own is the one its images have. */
function networkPlugin({ plugin, flannel }: Cluster['spec']['network']): ClusterShape['cni'] {
  if (plugin === 'none') return null
  return plugin === 'flannel' ? { plugin, version: withV(flannel.version) } : { plugin }
}
