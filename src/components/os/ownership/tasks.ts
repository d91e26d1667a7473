import { defineTask } from '../../../task/index.ts'
import { forget, sweep } from './steps.ts'

export const giveUpOwnership = defineTask({
  name: 'give-up-ownership',
  description: 'Take away what is left of kubexm on the hosts, and prove that nothing is',
  plan: (t) => t.on(t.hosts(), sweep, forget),
})
