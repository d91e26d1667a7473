import { type Cluster, hostLayout } from '../../../config/index.ts'
import { builtInCatalogue, componentImages, imageName } from '../../../resource/index.ts'
import { claimFile } from '../../../step/generic/file.ts'
import { applyManifest } from '../../../step/generic/kubernetes.ts'
import { daemonSetReady } from '../../../step/generic/workload.ts'
import { composeStep, waitStep } from '../../../step/index.ts'
import { minutes, seconds } from '../../../util/time.ts'
import { type FlannelSettings, flannelNames, flannelYaml } from './templates.ts'

/** What flannel's pods put on their hosts goes with the cluster. */
export const claimTraces = composeStep({
  name: 'flannel.traces',
  title: 'Make room for the program and configuration of flannel',
  timeout: minutes(1),
  ops: () => [
    // Copied over what is there, the program keeps the mode of this one.
    claimFile(`${hostLayout.cniPlugins}/${flannelNames.plugin}`, '0755'),
    claimFile(`${hostLayout.cniConfig}/${flannelNames.conflist}`),
  ],
})

export const applyFlannel = composeStep({
  name: 'flannel.apply',
  title: 'Apply the flannel manifest',
  timeout: minutes(2),
  ops: ({ cluster }) => applyManifest('flannel', flannelYaml(settingsOf(cluster))),
})

export const flannelReady = waitStep({
  name: 'flannel.ready',
  title: 'Wait for flannel on every node',
  timeout: minutes(5),
  every: seconds(1),
  until: daemonSetReady(
    flannelNames.namespace,
    flannelNames.daemonSet,
    ({ hosts }) => hosts.filter(({ roles }) => roles.includes('master') || roles.includes('worker')).length,
  ),
})

function settingsOf(cluster: Cluster): FlannelSettings {
  const { network, kubernetes, controlPlaneEndpoint } = cluster.spec
  const { type, vxlan } = network.flannel.backend
  const { vni, port, directRouting } = vxlan
  const version = network.flannel.version.replace(/^v?/, 'v')
  const [daemon = '', plugin = ''] = componentImages(builtInCatalogue, 'flannel', version)
  return {
    images: { daemon: imageName(cluster, daemon), plugin: imageName(cluster, plugin) },
    podRanges: network.kubePodsCIDR,
    backend: type === 'host-gw' || type === 'wireguard' ? { type } : { type: 'vxlan', vni, port, directRouting },
    nftables: kubernetes.proxyMode === 'nftables',
    cniConfig: hostLayout.cniConfig,
    cniPlugins: hostLayout.cniPlugins,
    api: { host: controlPlaneEndpoint.domain, port: controlPlaneEndpoint.port },
  }
}
