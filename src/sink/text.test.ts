import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cut, edges, harmless, names, padded, width, wrap } from './text.ts'

describe('width', () => {
  it.each([
    ['abc', 3],
    ['中文', 4],
    ['e\u0301', 1],
    ['\u001b[31mred\u001b[39m', 3],
    ['✔ ok', 4],
    ['🚀', 2],
  ])('%s takes %i columns', (text, columns) => expect(width(text)).toBe(columns))
})

describe('cut and padded', () => {
  it('never take more columns than they may, and padded takes exactly as many', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '中', 'é', ' ', '🚀') }), fc.nat(30), (text, columns) => {
        expect(width(cut(text, columns))).toBeLessThanOrEqual(columns)
        expect(width(padded(text, columns))).toBe(columns)
      }),
    )
  })
  it('shows that something is missing', () => expect(cut('containerd.install', 10)).toBe('container…'))
})

describe('wrap', () => {
  it('breaks at blanks and keeps long words whole', () => {
    expect(wrap('run the same /a/very/long/path/indeed again', 12)).toEqual(['run the same', '/a/very/long/path/indeed', 'again'])
  })
  it('loses nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,12}$/)).map((words) => words.join(' ')),
        fc.integer({ min: 1, max: 40 }),
        (text, columns) => {
          expect(wrap(text, columns).join(' ')).toBe(text)
        },
      ),
    )
  })
})

it('edges puts the right part at the edge', () => {
  expect(edges('left', 'right', 12)).toBe('left   right')
  expect(edges('left', 'right', 5)).toBe('left right')
})

describe('names', () => {
  const hosts = Array.from({ length: 300 }, (_, i) => `node${i + 1}`)
  it.each([
    [['a', 'b'], 20, 'a, b'],
    [hosts, 30, 'node1, node2 and 298 more'],
    [hosts, 5, 'node1 and 299 more'],
    [[], 5, ''],
  ])('%#', (all, columns, expected) => expect(names(all, columns)).toBe(expected))
})

describe('harmless', () => {
  it.each([
    ['\u001b[2J\u001b[31mred\u001b[0m', 'red'],
    ['10%\r20%\r100%', '100%'],
    ['line\r\nnext', 'line\nnext'],
    ['a\u0007b\u0000c\td', 'abc  d'],
    ['\u001b]0;title\u0007text', 'text'],
  ])('%j becomes %j', (given, expected) => expect(harmless(given)).toBe(expected))
})
