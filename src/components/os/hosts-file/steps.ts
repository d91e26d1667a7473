import type { StepContext } from '../../../runtime/index.ts'
import { managedBlock } from '../../../step/generic/block.ts'
import { composeStep } from '../../../step/index.ts'
import { seconds } from '../../../util/time.ts'
import { type HostsBlock, hostsBlock } from './templates.ts'

export const writeHostsFile = composeStep({
  name: 'hosts-file.write',
  title: 'Name the cluster hosts in /etc/hosts',
  timeout: seconds(30),
  ops: (ctx) => [managedBlock({ path: '/etc/hosts', text: hostsBlock(blockFor(ctx)) })],
})

function blockFor(ctx: StepContext): HostsBlock {
  const { registry, extra, kubernetes } = ctx.cluster.spec
  const registryHost = ctx.hosts.find((host) => host.roles.includes('registry'))
  return {
    hosts: ctx.hosts.map((host) => ({ name: host.name, addresses: host.internalAddresses })),
    endpoint: endpointFor(ctx),
    registry:
      registryHost === undefined || registry.privateRegistry === ''
        ? null
        : { domain: registry.privateRegistry, address: registryHost.internalAddress },
    extra: extra.hosts,
    dnsDomain: kubernetes.dnsDomain,
  }
}

/** Who a host takes for the API endpoint: a master itself, others the load balancer they have. */
function endpointFor({ cluster, host, hosts }: StepContext): HostsBlock['endpoint'] {
  const { domain, externalDNS, lb_address, internalLoadbalancer } = cluster.spec.controlPlaneEndpoint
  if (externalDNS) return null
  if (host.roles.includes('master')) return { domain, address: host.internalAddress }
  const onEveryWorker = internalLoadbalancer === 'haproxy' || internalLoadbalancer === 'nginx'
  if (onEveryWorker && host.roles.includes('worker')) return { domain, address: '127.0.0.1' }
  const firstMaster = hosts.find((other) => other.roles.includes('master'))
  const address = lb_address === '' ? firstMaster?.internalAddress : lb_address
  return address === undefined ? null : { domain, address }
}
