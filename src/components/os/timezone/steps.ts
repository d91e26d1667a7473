import { setTimezone } from '../../../step/generic/system.ts'
import { composeStep } from '../../../step/index.ts'
import { seconds } from '../../../util/time.ts'

export const setZone = composeStep({
  name: 'timezone.set',
  title: 'Set the time zone',
  timeout: seconds(30),
  ops: ({ cluster }) => setTimezone(cluster.spec.system.timezone),
})
