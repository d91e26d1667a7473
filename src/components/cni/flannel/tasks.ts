import { seq } from '../../../plan/index.ts'
import { defineTask } from '../../../task/index.ts'
import { applyFlannel, claimTraces, flannelReady } from './steps.ts'

export const flannel = defineTask({
  name: 'flannel',
  description: 'Install the flannel network',
  isRequired: ({ cluster }) => cluster.spec.network.plugin === 'flannel',
  plan: (t) => {
    const nodes = t.hosts().filter((host) => host.roles.includes('master') || host.roles.includes('worker'))
    return seq(t.on(nodes, claimTraces), t.first(t.hosts('master'), applyFlannel, flannelReady))
  },
})
