import { describe, expect, it } from 'vitest'
import { type LedgerEntry, ledgerLine, newest, originals, parseLedger, undoneIn } from './index.ts'

const entry = (key: string, over: Partial<LedgerEntry> = {}): LedgerEntry => ({
  key,
  run: 'r1',
  step: 's',
  kind: 'file',
  id: '/a',
  does: 'write /a',
  before: 'nothing',
  at: '2026-01-01T00:00:00.000Z',
  ...over,
})
const text = (...records: readonly Parameters<typeof ledgerLine>[0][]): string => records.map(ledgerLine).join('')
const read = (...records: readonly Parameters<typeof ledgerLine>[0][]) => parseLedger(text(...records), 'h')

describe('a ledger', () => {
  it('keeps how a change that was tried again found the host, and what it made in the end', () => {
    const [only, ...more] = read(entry('k', { desired: { sha256: '1' } }), entry('k', { before: 'half done', desired: { sha256: '2' } }))
    expect(more).toEqual([])
    expect(only).toMatchObject({ before: 'nothing', desired: { sha256: '2' } })
  })

  it('forgets what the first try wanted where the last one wanted nothing', () => {
    expect(read(entry('k', { desired: { sha256: '1' } }), entry('k'))[0]).not.toHaveProperty('desired')
  })

  it('forgets what was undone until it is made again', () => {
    expect(read(entry('k'), { undone: ['k'], run: 'r2' })).toEqual([])
    expect(read(entry('k'), { undone: ['k'], run: 'r2' }, entry('k', { before: 'later' }))).toMatchObject([{ before: 'later' }])
  })

  it('is read up to where the power failed, and refused where it is damaged', () => {
    expect(parseLedger(`${text(entry('k'))}\n{"key": "cut sho`, 'h')).toHaveLength(1)
    expect(() => parseLedger('{"key": nonsense}\n', 'h')).toThrow(/line 1/)
  })

  it('knows of each thing its first state and its last', () => {
    const entries = read(entry('k1', { desired: 1 }), entry('k2', { before: 'one', desired: 2 }), entry('k3', { id: '/b' }))
    expect(originals(entries).map(({ entry: { id, before }, keys }) => [id, before, keys])).toEqual([
      ['/b', 'nothing', ['k3']],
      ['/a', 'nothing', ['k1', 'k2']],
    ])
    expect(newest(entries).map(({ id, desired }) => [id, desired])).toEqual([
      ['/a', 2],
      ['/b', undefined],
    ])
  })

  it('tells what one run has undone, in the order it was made', () => {
    const records = [
      entry('k1'),
      entry('k2', { id: '/b' }),
      entry('k3', { id: '/c' }),
      { undone: ['k1'], run: 'rollback' },
      { undone: ['k3'], run: 'delete' },
      { undone: ['k2'], run: 'delete' },
    ]
    expect(undoneIn(text(...records), 'h', 'delete').map(({ key }) => key)).toEqual(['k2', 'k3'])
    expect(undoneIn(text(...records), 'h', 'other')).toEqual([])
    // What is made again is no longer undone, unless it is undone again.
    expect(undoneIn(text(...records, entry('k2', { id: '/b' })), 'h', 'delete').map(({ key }) => key)).toEqual(['k3'])
  })
})
