import { conforms } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { timezone } from './index.ts'

const scenario = oneHost('system: {timezone: Asia/Shanghai}')

conforms(timezone, scenario)
// Debian names the zone a second time, and the link may be written in full.
conforms(timezone, {
  ...scenario,
  os: ['debian-12'],
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      await on.files.write('/etc/timezone', 'Etc/UTC\n', { mode: '0644' })
      await on.files.link('/etc/localtime', '/usr/share/zoneinfo/Etc/UTC')
    }),
})
