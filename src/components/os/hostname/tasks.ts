import { defineTask } from '../../../task/index.ts'
import { nameHost } from './steps.ts'

export const hostname = defineTask({
  name: 'hostname',
  description: 'Call every host by the name it has in the config',
  plan: (t) => t.on(t.hosts(), nameHost),
})
