import type { StepContext } from '../../../runtime/index.ts'
import { editFile } from '../../../step/generic/edit.ts'
import { makeLink } from '../../../step/generic/file.ts'
import { stopService } from '../../../step/generic/service.ts'
import { swapOff } from '../../../step/generic/system.ts'
import { composeStep, type Op } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'
import { isSwap } from './templates.ts'

export const turnSwapOff = composeStep({
  name: 'swap.off',
  title: 'Turn swap off, now and at boot',
  // Pages in swap must fit back into memory, which takes its time.
  timeout: minutes(5),
  ops: (ctx) => [
    editFile({ path: '/etc/fstab', does: 'comment swap out in /etc/fstab', off: isSwap }),
    ...notAgainAtBoot(ctx),
    // Last: as long as swap is on, a run that was cut off knows that the rest may still be to do.
    swapOff(),
  ],
})

/** Swap that /etc/fstab does not name: partitions found by their type, zram and other units hang on one target; two services do not. */
const notAgainAtBoot = ({ host }: StepContext): readonly Op[] =>
  host.facts.swapMiB === 0
    ? []
    : [
        stopService('zramswap.service'),
        stopService('zram-config.service'),
        makeLink({ path: '/etc/systemd/system/swap.target', target: '/dev/null' }),
      ]
