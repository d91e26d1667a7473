import { loadModules, setSysctls } from '../../../step/generic/kernel.ts'
import { composeStep } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'
import { modulesFor, sysctlsFor } from './templates.ts'

export const loadKernelModules = composeStep({
  name: 'kernel.load-modules',
  title: 'Load kernel modules, now and at boot',
  timeout: minutes(1),
  ops: ({ cluster: { spec } }) => loadModules('/etc/modules-load.d/kubexm.conf', modulesFor(spec.kubernetes, spec.system.modules)),
})

export const setKernelParameters = composeStep({
  name: 'kernel.set-parameters',
  title: 'Set kernel parameters, now and at boot',
  timeout: minutes(1),
  ops: ({ cluster: { spec } }) =>
    setSysctls('/etc/sysctl.d/99-kubexm.conf', sysctlsFor({ podRanges: spec.network.kubePodsCIDR }, spec.system.sysctlParams)),
})
