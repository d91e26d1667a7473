import { writeFile } from '../../../step/generic/file.ts'
import { composeStep } from '../../../step/index.ts'
import { seconds } from '../../../util/time.ts'
import { logrotateFile } from './templates.ts'

export const rotateLogs = composeStep({
  name: 'log-rotation.configure',
  title: 'Rotate the logs of the cluster',
  timeout: seconds(30),
  ops: () => [writeFile({ path: '/etc/logrotate.d/kubexm', content: logrotateFile() })],
})
