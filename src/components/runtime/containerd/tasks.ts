import { defineTask } from '../../../task/index.ts'
import { adoptedFits, containerdAnswers, installContainerd, installTools, refuseForeign, runContainerd } from './steps.ts'

export const containerd = defineTask({
  name: 'containerd',
  description: 'Run containerd on every node',
  isRequired: ({ cluster }) => cluster.spec.kubernetes.containerRuntime.type === 'containerd',
  plan: (t) => {
    const adopts = t.cluster.spec.kubernetes.containerRuntime.containerd.existing === 'adopt'
    return t.on(
      t.hosts().filter((host) => host.roles.includes('master') || host.roles.includes('worker')),
      ...(adopts ? [] : [refuseForeign]),
      installTools,
      installContainerd,
      runContainerd,
      containerdAnswers,
      ...(adopts ? [adoptedFits] : []),
    )
  },
})
