import { writeFile } from '../../../step/generic/file.ts'
import { composeStep } from '../../../step/index.ts'
import { seconds } from '../../../util/time.ts'
import { limitsFile } from './templates.ts'

export const raiseLimits = composeStep({
  name: 'limits.raise',
  title: 'Raise the limits of open files and processes',
  timeout: seconds(30),
  ops: () => [writeFile({ path: '/etc/security/limits.d/kubexm.conf', content: limitsFile() })],
})
