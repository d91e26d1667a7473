import { defineTask } from '../../../task/index.ts'
import { stopEnforcing } from './steps.ts'

export const selinux = defineTask({
  name: 'selinux',
  description: 'Keep SELinux from denying what containers and the kubelet do',
  isRequired: ({ cluster }) => cluster.spec.preflight.disableSelinux,
  plan: (t) =>
    t.on(
      t.hosts().filter((host) => host.facts.selinux !== 'absent'),
      stopEnforcing,
    ),
})
