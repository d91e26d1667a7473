import { clusterDnsAddresses } from '../../../config/index.ts'
import { builtInCatalogue, imageName, kubernetesImageTags } from '../../../resource/index.ts'
import { sh } from '../../../runner/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { applyManifest } from '../../../step/generic/kubernetes.ts'
import { deploymentReady } from '../../../step/generic/workload.ts'
import { composeStep, waitStep } from '../../../step/index.ts'
import { podResolver, resolverFiles } from '../../../util/resolv-conf.ts'
import { minutes, seconds } from '../../../util/time.ts'
import { type CorednsSettings, corednsNames, corednsYaml } from './templates.ts'

export const applyCoredns = composeStep({
  name: 'coredns.apply',
  title: 'Apply the CoreDNS manifest',
  timeout: minutes(2),
  ops: async (ctx) => applyManifest('coredns', corednsYaml(await settingsOf(ctx))),
})

export const corednsReady = waitStep({
  name: 'coredns.ready',
  title: 'Wait for CoreDNS',
  timeout: minutes(5),
  every: seconds(1),
  until: deploymentReady(corednsNames.namespace, corednsNames.deployment),
})

async function settingsOf(ctx: StepContext): Promise<CorednsSettings> {
  const { cluster } = ctx
  const { dns, kubernetes } = cluster.spec
  const { coredns } = dns
  const { coredns: tag } = kubernetesImageTags(builtInCatalogue, kubernetes.version)
  return {
    image: imageName(cluster, `registry.k8s.io/coredns/coredns:${tag}`),
    replicas: coredns.replicas,
    addresses: clusterDnsAddresses(cluster.spec),
    domain: kubernetes.dnsDomain,
    hosts: dns.dnsEtcHosts,
    zones: coredns.externalZones,
    rewriteBlock: coredns.rewriteBlock,
    upstreams: await upstreamsOf(ctx),
    policy: coredns.upstream.policy,
    maxConcurrent: coredns.upstream.maxConcurrent,
    additional: coredns.additionalConfigs,
  }
}

/** Who is asked for names outside of the cluster: the servers of the config, else those of the host a pod is on, if hosts have any. */
async function upstreamsOf({ cluster, on }: StepContext): Promise<readonly string[] | null> {
  const { upstreamDNSServers } = cluster.spec.dns.coredns
  if (upstreamDNSServers.length > 0) return upstreamDNSServers
  const [own, behindStub] = await on.inspect([contentOf(resolverFiles.own), contentOf(resolverFiles.behindStub)])
  const { servers } = podResolver(own.stdout, behindStub.code === 0 ? behindStub.stdout : null)
  return servers.length === 0 ? null : [resolverFiles.own]
}

const contentOf = (path: string) => ({ kind: 'command', command: sh`cat -- ${path}` }) as const
