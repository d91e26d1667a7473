import { defineTask } from '../../../task/index.ts'
import { turnFirewallOff } from './steps.ts'

export const firewall = defineTask({
  name: 'firewall',
  description: 'Leave packet filtering to the network plugin',
  isRequired: ({ cluster }) => cluster.spec.preflight.disableFirewalld,
  plan: (t) => t.on(t.hosts(), turnFirewallOff),
})
