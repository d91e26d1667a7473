import { describe, expect, it } from 'vitest'
import { conforms } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { dns } from './index.ts'
import { isMerged, type Resolvers, resolvConfBlock, resolvedDropIn } from './templates.ts'

const scenario = oneHost(`extra:
  resolves: [{address: 192.0.2.1}, {address: "2001:db8::53"}]
  searches: [example.com]
  options: ["ndots:2"]`)

const unit = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n'

conforms(dns, {
  ...scenario,
  before: (rehearsal) =>
    rehearsal.prepare((on) =>
      on.files.write('/etc/resolv.conf', '# by hand\nnameserver 192.0.2.9\nsearch old.example\noptions ndots:5 edns0\n', { mode: '0664' }),
    ),
})
conforms(dns, { ...scenario, os: ['debian-12'], before: (rehearsal) => rehearsal.prepare((on) => on.files.remove('/etc/resolv.conf')) })
conforms(dns, {
  ...scenario,
  os: ['ubuntu-22.04'],
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      await on.files.write('/usr/lib/systemd/system/systemd-resolved.service', unit, { mode: '0644' })
      await on.services.reloadUnits()
      await on.services.enable('systemd-resolved')
      await on.services.start('systemd-resolved')
      await on.files.write('/run/systemd/resolve/stub-resolv.conf', 'nameserver 127.0.0.53\n', { mode: '0644' })
      await on.files.link('/etc/resolv.conf', '../run/systemd/resolve/stub-resolv.conf')
    }),
})

describe('resolv.conf', () => {
  const wanted: Resolvers = { nameservers: ['192.0.2.1'], searches: ['example.com'], options: ['ndots:2'] }
  const text = '# dhcp\nnameserver 192.0.2.9\ndomain first.example\nsearch old.example\noptions ndots:5 edns0\nnameserver 192.0.2.1\n'
  const off = (of: Resolvers): readonly string[] => text.split('\n').filter((line) => isMerged(line, text, of))

  it('asks our servers first, keeps the search domains that counted, and lets our options win', () => {
    expect(resolvConfBlock(text, wanted)).toBe(`nameserver 192.0.2.1
search example.com old.example
options ndots:5 edns0 ndots:2`)
    expect(off(wanted)).toEqual(['domain first.example', 'search old.example', 'options ndots:5 edns0', 'nameserver 192.0.2.1'])
  })

  it('keeps what is not asked for, and is left alone where nothing is missing', () => {
    expect(resolvConfBlock(text, { ...wanted, searches: [], options: [] })).toBe('nameserver 192.0.2.1')
    expect(off({ ...wanted, searches: [], options: [] })).toEqual(['nameserver 192.0.2.1'])
    const enough = { nameservers: ['192.0.2.9'], searches: ['old.example'], options: ['edns0'] }
    expect(resolvConfBlock(text, enough)).toBeNull()
    expect(off(enough)).toEqual([])
  })

  it('of systemd-resolved is a drop-in', () => {
    expect(resolvedDropIn(wanted)).toBe('[Resolve]\nDNS=192.0.2.1\nDomains=example.com\n')
  })
})
