import { defineTask } from '../../../task/index.ts'
import { applyCoredns, corednsReady } from './steps.ts'

export const coredns = defineTask({
  name: 'coredns',
  description: 'Give the cluster names, by CoreDNS',
  // Where the user brings the network, pods wait for that: it may come tomorrow.
  plan: (t) => t.first(t.hosts('master'), applyCoredns, ...(t.cluster.spec.network.plugin === 'none' ? [] : [corednsReady])),
})
