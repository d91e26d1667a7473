import { type Cluster, hostsOf } from '../../../config/index.ts'
import { fail } from '../../../error/index.ts'
import { builtInCatalogue } from '../../../resource/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { writeFile } from '../../../step/generic/file.ts'
import { addressLike, interfaceWith } from '../../../step/generic/network.ts'
import { packageNames } from '../../../step/generic/package.ts'
import { packagedService } from '../../../step/generic/packaged-service.ts'
import { makeSystemUser } from '../../../step/generic/user.ts'
import { composeStep } from '../../../step/index.ts'
import { Secret } from '../../../util/secret.ts'
import { minutes } from '../../../util/time.ts'
import { checkScript, type KeepalivedSettings, keepalivedConf } from './templates.ts'

const checkPath = '/etc/keepalived/check-load-balancer'
/** The user keepalived itself looks for: the check needs no rights at all. */
const scriptUser = 'keepalived_script'

export const runKeepalived = composeStep({
  name: 'keepalived.run',
  title: 'Hold the virtual address with keepalived',
  timeout: minutes(10),
  ops: async (ctx) => {
    const { externalLoadBalancer, haproxy, nginxLB } = ctx.cluster.spec.controlPlaneEndpoint
    const { healthCheckPort } = externalLoadBalancer === 'kubexm-kn' ? nginxLB : haproxy
    return [
      makeSystemUser({ name: scriptUser, home: '/' }),
      ...packagedService(ctx.host, {
        unit: 'keepalived.service',
        packages: packageNames(ctx.host, builtInCatalogue.packages.keepalived),
        files: [
          writeFile({ path: checkPath, content: checkScript(healthCheckPort), mode: '0755' }),
          writeFile({ path: '/etc/keepalived/keepalived.conf', content: new Secret(keepalivedConf(await settingsFor(ctx))), mode: '0600' }),
        ],
        claims: [],
      }),
    ]
  },
})

async function settingsFor(ctx: StepContext): Promise<KeepalivedSettings> {
  const { cluster, host } = ctx
  const { keepalived, lb_address: vip } = cluster.spec.controlPlaneEndpoint
  const holders = holdersOf(cluster)
  const peers = holders.filter(({ name }) => name !== host.name).map((peer) => addressLike(peer, vip))
  return {
    routerId: keepalived.routerId ?? host.name,
    interface: keepalived.interface ?? interfaceWith(host, addressLike(host, vip)),
    virtualRouterId: keepalived.virtualRouterId,
    virtualAddress: vip,
    rank: holders.findIndex(({ name }) => name === host.name),
    advertInt: keepalived.advertInt,
    preempt: keepalived.preempt,
    unicast: keepalived.unicast && peers.length > 0 ? { from: addressLike(host, vip), to: peers } : null,
    password: vip.includes(':') ? null : await password(ctx),
    checkScript: checkPath,
    scriptUser,
    extra: keepalived.extraConfig,
  }
}

/** Those who may hold the address, whether this run is about them or not. */
const holdersOf = (cluster: Cluster) => hostsOf(cluster).filter(({ roles }) => roles.includes('loadbalancer'))

async function password(ctx: StepContext): Promise<string> {
  const { authPass } = ctx.cluster.spec.controlPlaneEndpoint.keepalived
  const text = (authPass === undefined ? await ctx.pki.password('vrrp') : await ctx.reveal(authPass)).reveal()
  if (!/^[^\s"'#]{1,8}$/.test(text)) throw fail('KX_LB_PASSWORD', {})
  return text
}
