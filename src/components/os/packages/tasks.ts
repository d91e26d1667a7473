import { defineTask } from '../../../task/index.ts'
import { installNodePackages } from './steps.ts'

export const packages = defineTask({
  name: 'packages',
  description: 'Install the programs that Kubernetes calls on its nodes',
  plan: (t) => t.on(t.hosts(), installNodePackages),
})
