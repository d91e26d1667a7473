import { describe, expect, it } from 'vitest'
import type { LedgerEntry } from '../ledger/index.ts'
import type { Runner } from '../runner/index.ts'
import { SimulatedHost } from '../simulation/index.ts'
import { sha256 } from '../util/hash.ts'
import type { Json } from '../util/json.ts'
import { driftOf } from './drift.ts'

const made = (kind: string, id: string, desired: Json | undefined, before: Json = null): LedgerEntry => ({
  key: `${kind} ${id} ${JSON.stringify(desired)}`,
  run: 'r1',
  step: 'test.step',
  kind,
  id,
  does: `make ${id}`,
  before,
  ...(desired === undefined ? {} : { desired }),
  at: '2026-01-01T00:00:00.000Z',
})
const file = (text: string, mode = '0644'): Json => ({ sha256: sha256(text), mode, owner: 'root:root' })

const rows: readonly {
  readonly scenario: string
  readonly host: (on: Runner) => Promise<void>
  readonly ledger: readonly LedgerEntry[]
  readonly drift: Readonly<Record<string, string>>
}[] = [
  {
    scenario: 'a file as it was written',
    host: (on) => on.files.write('/a', 'text', { mode: '0644' }),
    ledger: [made('file', '/a', file('text'))],
    drift: {},
  },
  {
    scenario: 'a file with other text and mode',
    host: (on) => on.files.write('/a', 'other', { mode: '0600' }),
    ledger: [made('file', '/a', file('text'))],
    drift: { '/a': 'content changed, mode is 0600, was 0644' },
  },
  { scenario: 'a file that is gone', host: async () => {}, ledger: [made('file', '/a', file('text'))], drift: { '/a': 'missing' } },
  {
    scenario: 'a file that was written twice: only the last counts',
    host: (on) => on.files.write('/a', 'new', { mode: '0644' }),
    ledger: [made('file', '/a', file('old')), made('file', '/a', file('new'))],
    drift: {},
  },
  {
    scenario: 'a file that was edited after it was written: its hash means nothing any more',
    host: (on) => on.files.write('/a', 'text and more', { mode: '0644' }),
    ledger: [made('file', '/a', file('text')), made('edit', '/a', undefined)],
    drift: {},
  },
  {
    scenario: 'a file that came back',
    host: (on) => on.files.write('/a', 'text', { mode: '0644' }),
    ledger: [made('file', '/a', { type: 'absent' })],
    drift: { '/a': 'type is file, was absent' },
  },
  {
    scenario: 'a link that leads there in another spelling',
    host: (on) => on.files.link('/etc/localtime', '../usr/share/zoneinfo/UTC'),
    ledger: [made('file', '/etc/localtime', { target: '/usr/share/zoneinfo/UTC' })],
    drift: {},
  },
  {
    scenario: 'a link that leads elsewhere',
    host: (on) => on.files.link('/l', '/b'),
    ledger: [made('file', '/l', { target: '/a' })],
    drift: { '/l': 'target is /b, was /a' },
  },
  {
    scenario: 'a block that others wrote into',
    host: (on) =>
      on.files.setBlock('/etc/hosts', { begin: '# BEGIN KubeXM Managed Block', end: '# END KubeXM Managed Block' }, '192.0.2.9 a'),
    ledger: [made('block', '/etc/hosts', { text: '192.0.2.1 a' })],
    drift: { '/etc/hosts': 'content changed' },
  },
  {
    scenario: 'an archive of which a program is missing',
    host: async (on) => {
      await on.files.write('/opt/a', 'a', { mode: '0755' })
      await on.files.write('/opt/.x.kubexm', 'hash\n', { mode: '0644' })
    },
    ledger: [made('archive', '/opt/.x.kubexm', { sha256: 'hash' }, { into: '/opt', made: ['a', 'b'], replaced: null })],
    drift: { '/opt/.x.kubexm': 'not whole' },
  },
  {
    scenario: 'a kernel parameter in another spelling, and one with another value',
    host: async (on) => {
      await on.kernel.setSysctl('net.ipv4.ip_local_port_range', '1024\t65535')
      await on.kernel.setSysctl('net.ipv4.ip_forward', '0')
    },
    ledger: [
      made('sysctl', 'net.ipv4.ip_local_port_range', { value: '1024 65535' }),
      made('sysctl', 'net.ipv4.ip_forward', { value: '1' }),
    ],
    drift: { 'net.ipv4.ip_forward': 'value is 0, was 1' },
  },
  {
    scenario: 'a service that was stopped, and one that is to be so',
    host: async () => {},
    ledger: [made('service', 'gone.service', { active: 'active' }), made('service', 'firewalld.service', { active: 'inactive' })],
    drift: { 'gone.service': 'active is inactive, was active' },
  },
  {
    scenario: 'kinds that only a command can see, and kinds of another version',
    host: async () => {},
    ledger: [made('manifest', 'flannel', { sha256: 'x' }), made('unheard-of', 'x', { a: 1 })],
    drift: {},
  },
]

describe('drift', () => {
  it.each(rows)('$scenario', async ({ host, ledger, drift }) => {
    const on = new SimulatedHost({ name: 'h' }).runner()
    await host(on)
    const { drifted } = await driftOf(on, ledger)
    expect(Object.fromEntries(drifted.map(({ id, difference }) => [id, difference]))).toEqual(drift)
  })

  it('says who made the thing and when, and how many were looked at', async () => {
    const on = new SimulatedHost({ name: 'h' }).runner()
    await on.files.write('/b', 'b', { mode: '0644' })
    const found = await driftOf(on, [made('file', '/a', file('a')), made('file', '/b', file('b'))])
    expect(found.looked).toBe(2)
    expect(found.drifted).toMatchObject([{ kind: 'file', id: '/a', step: 'test.step', since: '2026-01-01T00:00:00.000Z' }])
  })
})
