import { par } from '../../../plan/index.ts'
import { defineTask } from '../../../task/index.ts'
import { fetchKubeconfig, giveRootAccess } from './steps.ts'

/** kubectl for root on the masters, and for whoever runs kubexm. */
export const adminAccess = defineTask({
  name: 'admin-access',
  description: 'Let root on the masters and the user of this machine administer the cluster',
  plan: (t) => par(t.on(t.hosts('master'), giveRootAccess), t.local(fetchKubeconfig)),
})
