import { defineTask } from '../../../task/index.ts'
import { forget, noteMembership, sweep } from './steps.ts'

export const giveUpOwnership = defineTask({
  name: 'give-up-ownership',
  description: 'Take away what is left of kubexm on the hosts, and prove that nothing is',
  plan: (t) => t.on(t.hosts(), sweep, forget),
})

/** Comes once there is a control plane: until then nothing is decided that could not be decided otherwise. */
export const membership = defineTask({
  name: 'membership',
  description: 'Note on every host which cluster it is part of',
  plan: (t) => t.on(t.hosts(), noteMembership),
})
