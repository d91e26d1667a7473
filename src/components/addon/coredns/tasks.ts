import { defineTask } from '../../../task/index.ts'
import { applyCoredns, corednsReady } from './steps.ts'

export const coredns = defineTask({
  name: 'coredns',
  description: 'Give the cluster names, by CoreDNS',
  plan: (t) => t.first(t.hosts('master'), applyCoredns, corednsReady),
})
