import { defineTask } from '../../../task/index.ts'
import { addToResolvConf, addToResolved } from './steps.ts'

export const dns = defineTask({
  name: 'dns',
  description: 'Let every host ask the name servers of the config first',
  isRequired: ({ cluster: { spec } }) => [spec.extra.resolves, spec.extra.searches, spec.extra.options].some((list) => list.length > 0),
  plan: (t) => t.on(t.hosts(), addToResolvConf, addToResolved),
})
