import { defineTask } from '../../../task/index.ts'
import { containerdAnswers, installContainerd, runContainerd } from './steps.ts'

export const containerd = defineTask({
  name: 'containerd',
  description: 'Run containerd on every node',
  isRequired: ({ cluster }) => cluster.spec.kubernetes.containerRuntime.type === 'containerd',
  plan: (t) =>
    t.on(
      t.hosts().filter((host) => host.roles.includes('master') || host.roles.includes('worker')),
      installContainerd,
      runContainerd,
      containerdAnswers,
    ),
})
