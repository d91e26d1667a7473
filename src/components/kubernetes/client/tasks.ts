import { par } from '../../../plan/index.ts'
import { defineTask } from '../../../task/index.ts'
import { fetchKubeconfig, giveRootAccess, mergeKubeconfig } from './steps.ts'

/** kubectl for root on the masters, and for whoever runs kubexm. */
export const adminAccess = defineTask({
  name: 'admin-access',
  description: 'Let root on the masters and the user of this machine administer the cluster',
  plan: (t) => par(t.on(t.hosts('master'), giveRootAccess), t.local(fetchKubeconfig)),
})

/** Last of all: a kubeconfig that people use every day names no cluster that does not work yet. */
export const userAccess = defineTask({
  name: 'user-access',
  description: 'Add the cluster to the kubeconfig of whoever runs kubexm, if they ask for it',
  plan: (t) => t.local(mergeKubeconfig),
})
