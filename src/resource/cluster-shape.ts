import { type Cluster, hostsOf } from '../config/index.ts'
import type { ClusterShape } from './artifacts.ts'
import type { Arch } from './catalogue.ts'
import { withV } from './version.ts'

/** As much of a config as decides what the cluster needs; `archOf` tells what the config leaves to be detected. */
export function shapeOf(cluster: Cluster, archOf: (host: string) => Arch): ClusterShape {
  const { kubernetes, etcd, network, controlPlaneEndpoint, registry, addons, dns, system } = cluster.spec
  const { debs, rpms } = system
  return {
    kubernetesVersion: withV(kubernetes.version),
    kubernetesType: kubernetes.type,
    etcdType: etcd.type,
    etcdVersion: etcd.version,
    runtime: { type: kubernetes.containerRuntime.type, version: kubernetes.containerRuntime.version },
    cni: network.plugin === 'none' ? null : { plugin: network.plugin },
    externalLoadBalancer: controlPlaneEndpoint.externalLoadBalancer,
    internalLoadBalancer: controlPlaneEndpoint.internalLoadbalancer,
    registry: registry.type,
    addons: [
      ...addons.filter((addon) => addon.enabled && addon.type === 'builtin').map((addon) => addon.name),
      ...(dns.nodelocaldns.enabled ? ['nodelocaldns'] : []),
    ],
    ...(debs.length + rpms.length === 0 ? {} : { extra: { packages: [{ name: 'system', deb: debs, rpm: rpms }] } }),
    hosts: hostsOf(cluster).map(({ name, roles, arch }) => ({
      name,
      roles: roles.filter((role) => role !== 'storage'),
      arch: arch ?? archOf(name),
    })),
  }
}
