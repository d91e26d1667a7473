import { defineTask } from '../../../task/index.ts'
import { runKubeVip } from './steps.ts'

/** kube-vip on the masters. Nothing waits for it to come up: masters ask their own API servers. */
export const kubeVip = defineTask({
  name: 'kube-vip',
  description: 'Hold the virtual address on a master that works',
  isRequired: ({ cluster }) => cluster.spec.controlPlaneEndpoint.internalLoadbalancer === 'kube-vip',
  plan: (t) => t.on(t.hosts('master'), runKubeVip),
})
