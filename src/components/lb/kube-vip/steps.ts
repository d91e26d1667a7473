import { apiServerUrl, hostLayout } from '../../../config/index.ts'
import { staticPod } from '../../../manifest/index.ts'
import { builtInCatalogue, componentImages, imageName } from '../../../resource/index.ts'
import { sh } from '../../../runner/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { writeFile } from '../../../step/generic/file.ts'
import { loadModules } from '../../../step/generic/kernel.ts'
import { addressLike, interfaceWith } from '../../../step/generic/network.ts'
import { holdAddress } from '../../../step/generic/virtual-address.ts'
import { composeStep, type Op } from '../../../step/index.ts'
import { hashOf } from '../../../util/hash.ts'
import { minutes } from '../../../util/time.ts'
import { toYaml } from '../../../util/yaml.ts'
import { type KubeVipSettings, kubeVipEnvironment } from './templates.ts'

/** What kube-vip asks of the kernel to spread connections. */
const ipvsModules = ['ip_vs', 'ip_vs_rr']

/** The one place kube-vip looks for its kubeconfig. */
const kubeconfigInContainer = '/etc/kubernetes/admin.conf'

export const runKubeVip = composeStep({
  name: 'kube-vip.run',
  title: 'Hold the virtual address with kube-vip',
  timeout: minutes(1),
  ops: async (ctx) => {
    const { kubevip, lb_address: address } = ctx.cluster.spec.controlPlaneEndpoint
    const balances = kubevip.enableControlPlaneLB && (await hasIpvs(ctx))
    const env = kubeVipEnvironment(settingsFor(ctx, balances))
    const [known = ''] = componentImages(builtInCatalogue, 'kube-vip')
    const pod = staticPod({
      name: 'kube-vip',
      image: imageName(ctx.cluster, kubevip.image ?? known),
      args: ['manager'],
      env,
      // Were it made where it is missing, kubeadm would find an administrator's kubeconfig that is none.
      mounts: [{ name: 'kubeconfig', path: hostLayout.adminKubeconfig, at: kubeconfigInContainer, type: 'File' }],
      configuration: hashOf(env),
      capabilities: ['NET_ADMIN', 'NET_RAW'],
    })
    return [
      ...modulesFor(balances),
      holdAddress({ address, program: 'kube-vip' }),
      writeFile({ path: `${hostLayout.staticPods}/kube-vip.yaml`, content: toYaml(pod), mode: '0600' }),
    ]
  },
})

const modulesFor = (balances: boolean): readonly Op[] =>
  balances ? loadModules('/etc/modules-load.d/kubexm-kube-vip.conf', ipvsModules) : []

/** Whether the kernel has ipvs, loaded or to be loaded; kube-vip ends at once where it is told to use it and there is none. */
async function hasIpvs({ on }: StepContext): Promise<boolean> {
  const [answer] = await on.inspect([{ kind: 'command', command: sh`modprobe -n -q -a ${ipvsModules}` }])
  return answer.code === 0
}

function settingsFor({ cluster, host }: StepContext, balances: boolean): KubeVipSettings {
  const { kubevip, lb_address: address, port } = cluster.spec.controlPlaneEndpoint
  const { bgpConfig } = kubevip
  const bgp = kubevip.mode === 'BGP' && bgpConfig !== undefined
  return {
    address,
    port,
    interface: kubevip.interface ?? (bgp ? 'lo' : interfaceWith(host, addressLike(host, address))),
    apiServer: apiServerUrl(cluster, host),
    balances,
    services: kubevip.enableServicesLB,
    bgp: bgp
      ? {
          routerId: bgpConfig.routerID ?? host.internalAddress,
          asn: bgpConfig.asn,
          peerAddress: bgpConfig.peerAddress,
          peerAsn: bgpConfig.peerASN,
          sourceAddress: bgpConfig.sourceAddress ?? null,
        }
      : null,
    extra: kubevip.extraArgs,
  }
}
