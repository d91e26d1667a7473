import { defineTask } from '../../../task/index.ts'
import { loadKernelModules, setKernelParameters } from './steps.ts'

export const kernel = defineTask({
  name: 'kernel',
  description: 'Make the kernel ready for containers and their network',
  // Some parameters exist only once their module is loaded.
  plan: (t) => t.on(t.hosts(), loadKernelModules, setKernelParameters),
})
