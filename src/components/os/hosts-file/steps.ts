import { endpointAddressFor, hostsOf } from '../../../config/index.ts'
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
  const { registry, extra, kubernetes, controlPlaneEndpoint } = ctx.cluster.spec
  const endpoint = endpointAddressFor(ctx.cluster, ctx.host)
  // Not only those this run is about: a host that is worked on alone must find the others as well.
  const hosts = hostsOf(ctx.cluster)
  const registryHost = hosts.find((host) => host.roles.includes('registry'))
  return {
    hosts: hosts.map((host) => ({ name: host.name, addresses: host.internalAddresses })),
    endpoint: endpoint === null ? null : { domain: controlPlaneEndpoint.domain, address: endpoint },
    registry:
      registryHost === undefined || registry.privateRegistry === ''
        ? null
        : { domain: registry.privateRegistry.replace(/:\d+$/, ''), address: registryHost.internalAddress },
    extra: extra.hosts,
    dnsDomain: kubernetes.dnsDomain,
  }
}
