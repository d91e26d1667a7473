import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contains, formatIp, overlaps, parseCidr, parseIp } from './ip.ts'

const cidr = (text: string) => {
  const block = parseCidr(text)
  if (block === null) throw new Error(`not a CIDR: ${text}`)
  return block
}

describe('addresses', () => {
  it.each(['1.2.3', '256.0.0.1', '1.2.3.4.5', 'fe80::1%eth0', 'x', '', ':::'])('refuses %j', (text) => expect(parseIp(text)).toBeNull())

  it.each([
    ['2022:0:0:0:0:0:0:2', '2022::2'],
    ['::', '::'],
    ['::1', '::1'],
    ['fd85:ee78:d8a6:8607::1:0000', 'fd85:ee78:d8a6:8607::1:0'],
    ['::ffff:10.0.0.1', '::ffff:a00:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['10:0:0:0:1:2:3:4', '10::1:2:3:4'],
    ['10.1.2.3', '10.1.2.3'],
  ])('%s is written %s', (text, canonical) => {
    const ip = parseIp(text)
    expect(ip && formatIp(ip)).toBe(canonical)
  })

  it('reads back every address it writes', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 128n - 1n), (value) => {
        expect(parseIp(formatIp({ family: 6, value }))).toEqual({ family: 6, value })
      }),
      { numRuns: 500 },
    )
    fc.assert(fc.property(fc.ipV4(), (text) => formatIp(parseIp(text) ?? { family: 6, value: 0n }) === text))
  })
})

describe('blocks', () => {
  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', '/8', '10.0.0.0/'])('refuses %j', (text) =>
    expect(parseCidr(text)).toBeNull(),
  )

  it('clears host bits and says so', () => expect(cidr('172.16.0.2/24')).toMatchObject({ text: '172.16.0.0/24', hadHostBits: true }))

  it.each([
    ['10.233.64.0/18', '10.233.0.0/18', false],
    ['10.0.0.0/8', '10.233.0.0/18', true],
    ['fd85:ee78:d8a6:8607::1:0000/112', 'fd85:ee78:d8a6:8607::1000/116', false],
    ['::/0', '0.0.0.0/0', false],
  ])('%s and %s overlap: %s', (a, b, expected) => {
    expect(overlaps(cidr(a), cidr(b))).toBe(expected)
    expect(overlaps(cidr(b), cidr(a))).toBe(expected)
  })

  it('contains its own first address and not the one after its last', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 1, max: 32 }), (text, prefix) => {
        const block = cidr(`${text}/${prefix}`)
        return contains(block, { family: 4, value: block.first }) && !contains(block, { family: 4, value: block.last + 1n })
      }),
    )
  })
})
