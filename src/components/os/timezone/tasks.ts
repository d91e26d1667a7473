import { defineTask } from '../../../task/index.ts'
import { setZone } from './steps.ts'

export const timezone = defineTask({
  name: 'timezone',
  description: 'Put every host into one time zone',
  isRequired: ({ cluster }) => cluster.spec.system.timezone !== '',
  plan: (t) => t.on(t.hosts(), setZone),
})
