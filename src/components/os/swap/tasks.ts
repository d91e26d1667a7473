import { defineTask } from '../../../task/index.ts'
import { turnSwapOff } from './steps.ts'

export const swap = defineTask({
  name: 'swap',
  description: 'Give the kubelet memory it can count on',
  isRequired: ({ cluster }) => cluster.spec.preflight.disableSwap,
  plan: (t) => t.on(t.hosts(), turnSwapOff),
})
