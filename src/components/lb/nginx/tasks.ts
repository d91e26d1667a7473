import { defineTask } from '../../../task/index.ts'
import { listens, run, runPod } from './steps.ts'

/** nginx on every worker that is not a master: a master is its own endpoint. */
export const nginxPods = defineTask({
  name: 'nginx-pods',
  description: 'Balance the API servers on every worker',
  isRequired: ({ cluster }) => cluster.spec.controlPlaneEndpoint.internalLoadbalancer === 'nginx',
  plan: (t) =>
    t.on(
      t.hosts('worker').filter((host) => !host.roles.includes('master')),
      runPod,
    ),
})

/** nginx on the load balancer hosts. */
export const nginxService = defineTask({
  name: 'nginx',
  description: 'Balance the API servers on hosts of their own',
  isRequired: ({ cluster }) => cluster.spec.controlPlaneEndpoint.externalLoadBalancer === 'kubexm-kn',
  plan: (t) => t.on(t.hosts('loadbalancer'), run, listens),
})
