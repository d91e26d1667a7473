import { defineTask } from '../../../task/index.ts'
import { writeHostsFile } from './steps.ts'

export const hostsFile = defineTask({
  name: 'hosts-file',
  description: 'Let every host find the others by name',
  plan: (t) => t.on(t.hosts(), writeHostsFile),
})
