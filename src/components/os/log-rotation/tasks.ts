import { defineTask } from '../../../task/index.ts'
import { rotateLogs } from './steps.ts'

export const logRotation = defineTask({
  name: 'log-rotation',
  description: 'Keep the logs of the cluster from filling the disk',
  plan: (t) => t.on(t.hosts(), rotateLogs),
})
