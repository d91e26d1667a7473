import { firewallOff } from '../../../step/generic/system.ts'
import { composeStep } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'

export const turnFirewallOff = composeStep({
  name: 'firewall.off',
  title: 'Turn firewalld or ufw off, now and at boot',
  timeout: minutes(1),
  ops: () => [firewallOff()],
})
