import { defineCheck } from '../../../step/index.ts'
import { seconds } from '../../../util/time.ts'
import * as existing from './checks/existing.ts'
import * as host from './checks/host.ts'
import * as identity from './checks/identity.ts'
import { keptFields } from './checks/kept.ts'
import * as kernel from './checks/kernel.ts'
import * as network from './checks/network.ts'
import * as reach from './checks/reach.ts'
import { sightOf } from './checks/sight.ts'
import { supported } from './checks/support.ts'

/** Comes before all checks: what they want to know is asked once, and each may look at what was seen on the others. */
export const look = defineCheck({
  name: 'preflight.look',
  title: 'Look at the host',
  timeout: seconds(60),
  check: async (ctx) => {
    await sightOf(ctx)
    return null
  },
})

/** Answered from facts and the first look: no further round trips. */
export const quickChecks = [
  host.operatingSystem,
  host.architecture,
  host.serviceManager,
  host.cpu,
  host.memory,
  host.diskSpace,
  identity.hostname,
  identity.duplicateHostname,
  identity.duplicateMachineId,
  identity.duplicateProductUuid,
  identity.hostNames,
  identity.clock,
  identity.timeService,
  existing.existingKubernetes,
  existing.existingRuntime,
  existing.freePorts,
  kernel.kernelVersion,
  kernel.kernelFeatures,
  kernel.kernelModules,
  kernel.proxyMode,
  kernel.cgroupVersion,
  kernel.cgroupDriver,
  kernel.cgroupControllers,
  kernel.selinux,
  kernel.swap,
  network.ownAddress,
  network.firewall,
  network.clusterRanges,
] as const

export const { etcdDisk } = existing
export const { nameServers } = network
export const { artifactSource, betweenHosts, hasOwnEndpoint, mirrorsOf, ownEndpoint, registries, vipCarriers, virtualAddress } = reach
export { isOne } from './checks/needs.ts'
export { keptFields, supported }
