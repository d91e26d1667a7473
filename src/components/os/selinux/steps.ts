import { editFile } from '../../../step/generic/edit.ts'
import { selinuxPermissive } from '../../../step/generic/system.ts'
import { composeStep } from '../../../step/index.ts'
import { seconds } from '../../../util/time.ts'
import { enforces, permissive } from './templates.ts'

export const stopEnforcing = composeStep({
  name: 'selinux.permissive',
  title: 'Make SELinux permissive, now and at boot',
  timeout: seconds(30),
  ops: () => [
    editFile({ path: '/etc/selinux/config', does: 'make SELinux permissive at boot', off: enforces, add: permissive }),
    selinuxPermissive(),
  ],
})
