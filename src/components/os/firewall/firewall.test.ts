import { conforms } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { firewall } from './index.ts'

conforms(firewall, { ...oneHost(), os: ['rocky-9', 'centos-7'] })

conforms(firewall, {
  ...oneHost(),
  os: ['ubuntu-22.04'],
  before: (rehearsal) => rehearsal.prepare((on) => on.system.setFirewall('ufw', { active: true, atBoot: true })),
})
