import { defineTask } from '../../../task/index.ts'
import { raiseLimits } from './steps.ts'

export const limits = defineTask({
  name: 'limits',
  description: 'Let administrators on a node open as many files as its services do',
  plan: (t) => t.on(t.hosts(), raiseLimits),
})
