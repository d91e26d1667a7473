import * as z from 'zod'
import { field, filledText, list, text, whole } from '../../../config/primitives.ts'

/** Limits of the checks before anything is changed, and which checks to leave out. */
export const preflightConfig = {
  minCPUCores: field(whole(1, 1024).default(2), 'Fewest CPU cores of a cluster node.', 2),
  minMemoryMB: field(whole(64).default(2048), 'Least memory of a worker, in MiB.', 2048),
  minMasterMemoryMB: field(whole(64).default(4096), 'Least memory of a master, in MiB.', 4096),
  minKernel: field(
    text(/^\d+\.\d+(\.\d+)?$/, 'a kernel version', '4.18').default('3.10'),
    'Oldest kernel; network plugins may need a newer one.',
    '4.18',
  ),
  maxClockSkewSeconds: field(whole(0, 3600).default(5), 'Largest difference between clocks of hosts.', 5),
  disableSwap: field(z.boolean().default(true), 'Turn swap off.', true),
  disableFirewalld: field(z.boolean().default(true), 'Turn firewalld and ufw off.', true),
  disableSelinux: field(z.boolean().default(true), 'Turn SELinux enforcement off.', true),
  skipChecks: field(list(text(/^[A-Za-z][\w.-]*$/, 'the code or name of a check', 'KX_SWAP_ON')), 'Codes of findings to ignore.', [
    'KX_SWAP_ON',
  ]),
  ignoreKubeadmErrors: field(list(filledText()), 'Preflight errors of kubeadm itself to ignore.', ['SystemVerification']),
}
