import { describe, expect, it } from 'vitest'
import type { Host } from '../../runtime/index.ts'
import { addressLike, interfaceWith } from './network.ts'

const host = {
  name: 'node1',
  internalAddress: '192.0.2.1',
  internalAddresses: ['192.0.2.1', '2001:db8::1'],
  facts: {
    interfaces: [
      { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
      { name: 'ens3', addresses: ['192.0.2.1/24', '2001:db8:0::1/64'] },
    ],
  },
} as unknown as Host

describe('the interface of an address', () => {
  it.each([
    ['192.0.2.1', 'ens3'],
    ['2001:db8:0:0::1', 'ens3'],
    ['127.0.0.1', 'lo'],
  ])('%s is %s', (address, name) => expect(interfaceWith(host, address)).toBe(name))

  it('is told of when there is none', () => {
    expect(() => interfaceWith(host, '192.0.2.10')).toThrow(expect.objectContaining({ code: 'KX_LB_INTERFACE' }))
  })
})

it.each([
  ['192.0.2.100', '192.0.2.1'],
  ['2001:db8::100', '2001:db8::1'],
  ['lb.example.com', '192.0.2.1'],
])('the address like %s is %s', (other, own) => expect(addressLike(host, other)).toBe(own))
