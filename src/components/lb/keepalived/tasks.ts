import { defineTask } from '../../../task/index.ts'
import { runKeepalived } from './steps.ts'

/** The virtual address in front of haproxy or nginx: on one of the load balancer hosts whose load balancer reaches an API server. */
export const keepalived = defineTask({
  name: 'keepalived',
  description: 'Hold the virtual address on a load balancer host that works',
  isRequired: ({ cluster }) => {
    const { externalLoadBalancer, lb_address } = cluster.spec.controlPlaneEndpoint
    return (externalLoadBalancer === 'kubexm-kh' || externalLoadBalancer === 'kubexm-kn') && lb_address !== ''
  },
  plan: (t) => t.on(t.hosts('loadbalancer'), runKeepalived),
})
