import { setHostname } from '../../../step/generic/system.ts'
import { composeStep } from '../../../step/index.ts'
import { seconds } from '../../../util/time.ts'

export const nameHost = composeStep({
  name: 'hostname.set',
  title: 'Give the host its name',
  timeout: seconds(30),
  ops: ({ host }) => [setHostname(host.name)],
})
