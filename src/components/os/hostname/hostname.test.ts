import { conforms } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { hostname } from './index.ts'

conforms(hostname, {
  ...oneHost(),
  before: (rehearsal) => rehearsal.prepare((on) => on.system.setHostname('localhost.localdomain')),
})
// A name that is set only for the time being, as DHCP does it: there is no file before, and none after.
conforms(hostname, {
  ...oneHost(),
  os: ['debian-12'],
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      await on.system.setHostname('from-dhcp')
      await on.files.remove('/etc/hostname')
    }),
})
