import { defineTask } from '../../../task/index.ts'
import { listens, run, runPod } from './steps.ts'

/** haproxy on every worker that is not a master: a master is its own endpoint. */
export const haproxyPods = defineTask({
  name: 'haproxy-pods',
  description: 'Balance the API servers on every worker',
  isRequired: ({ cluster }) => cluster.spec.controlPlaneEndpoint.internalLoadbalancer === 'haproxy',
  plan: (t) =>
    t.on(
      t.hosts('worker').filter((host) => !host.roles.includes('master')),
      runPod,
    ),
})

/** haproxy on the load balancer hosts. */
export const haproxyService = defineTask({
  name: 'haproxy',
  description: 'Balance the API servers on hosts of their own',
  isRequired: ({ cluster }) => cluster.spec.controlPlaneEndpoint.externalLoadBalancer === 'kubexm-kh',
  plan: (t) => t.on(t.hosts('loadbalancer'), run, listens),
})
