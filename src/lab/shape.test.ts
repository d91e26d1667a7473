import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { spareAddresses } from './addressing.ts'
import { networksOf, shapeLab, withHost } from './shape.ts'
import type { HostOptions, LabOptions } from './types.ts'

const shape = (hosts: LabOptions['hosts']) => shapeLab('x', hosts === undefined ? {} : { hosts }, '/image')

describe('the shape of a lab', () => {
  test('is three hosts unless told otherwise, with one number in name and both addresses', () => {
    expect(shape(undefined).hosts.map(({ name, legs }) => [name, legs])).toEqual(
      [1, 2, 3].map((n) => [`node${n}`, [{ network: 'lab', link: 'eth0', ipv4: `10.77.0.${10 + n}`, ipv6: `fd77::${10 + n}` }]]),
    )
  })

  test('makes the first host the door to the private network', () => {
    const lab = shape([{}, {}, { private: true }])
    expect(lab.hosts.map(({ legs }) => legs.map(({ network, link }) => `${link} ${network}`))).toEqual([
      ['eth0 lab', 'eth1 private'],
      ['eth0 lab'],
      ['eth0 private'],
    ])
    expect(networksOf(lab)).toEqual(['lab', 'private'])
    expect(networksOf(shape(1))).toEqual(['lab'])
  })

  test.for<{ scenario: string; hosts: LabOptions['hosts']; code: string }>([
    { scenario: 'no host', hosts: 0, code: 'KX_LAB_SHAPE' },
    { scenario: 'too many hosts', hosts: 201, code: 'KX_LAB_SHAPE' },
    { scenario: 'a private first host', hosts: [{ private: true }], code: 'KX_LAB_SHAPE' },
    { scenario: 'two hosts of one name', hosts: [{ name: 'a' }, { name: 'a' }], code: 'KX_LAB_SHAPE' },
    { scenario: 'a name that a link cannot have', hosts: [{ name: 'sixteen-letters-' }], code: 'KX_LAB_NAME' },
    { scenario: 'a name with a dot, which marks other things', hosts: [{ name: 'a.b' }], code: 'KX_LAB_NAME' },
    { scenario: 'no memory', hosts: [{ memoryMiB: 0 }], code: 'KX_LAB_SHAPE' },
    { scenario: 'half a processor', hosts: [{ cpus: 0.5 }], code: 'KX_LAB_SHAPE' },
  ])('refuses $scenario', ({ hosts, code }) => {
    expect(() => shape(hosts)).toThrow(expect.objectContaining({ code }))
  })

  test('refuses a private host where there is no jump host', () => {
    expect(() => withHost(shape(1), { private: true })).toThrow(expect.objectContaining({ code: 'KX_LAB_SHAPE' }))
  })

  test('never gives a name, uuid or address twice, nor a spare one, however hosts come and go', () => {
    const spare = spareAddresses.flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6])
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant('add'), fc.nat(5)), { maxLength: 60 }), (moves) => {
        let lab = shape(2)
        const seen = new Set(lab.hosts.map((host) => host.legs[0]?.ipv4))
        for (const move of moves) {
          if (move === 'add') {
            lab = withHost(lab, {} satisfies HostOptions)
            const address = lab.hosts.at(-1)?.legs[0]?.ipv4
            expect(seen.has(address)).toBe(false)
            seen.add(address)
          } else lab = { ...lab, hosts: lab.hosts.filter((_, i) => i !== move) }
        }
        const all = lab.hosts.flatMap(({ name, uuid, legs }) => [name, uuid, ...legs.flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6])])
        expect(new Set(all).size).toBe(all.length)
        expect(all.filter((one) => spare.includes(one))).toEqual([])
      }),
    )
  })
})
