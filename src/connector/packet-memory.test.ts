import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type OutgoingCipher, reuseMemoryOf } from './packet-memory.ts'

/** A cipher as ssh2's compiled one is towards its packets, without the encryption. */
const cipher = (written: Buffer[]): OutgoingCipher => ({
  allocPacket: (payload) => {
    const packet = Buffer.alloc(5 + payload + 7 + 16)
    packet.writeUInt32BE(payload)
    packet[4] = 7
    return packet
  },
  _onWrite: (packet) => written.push(packet),
})

/** A socket that says when a write is over. */
function slowSocket() {
  const over: (() => void)[] = []
  const socket = new Duplex({ highWaterMark: 1, read: () => undefined, write: (_chunk, _encoding, done) => void over.push(done) })
  return { socket, finishOne: () => over.shift()?.() }
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

describe('the memory of packets', () => {
  // Of a length of its own: packets that are free are shared by all connections.
  it('is used again when its own write is over, not before', async () => {
    const { socket, finishOne } = slowSocket()
    const one = cipher([])
    reuseMemoryOf(one, socket)
    const [first, second] = [one.allocPacket(30_001), one.allocPacket(30_001)]
    one._onWrite(first)
    one._onWrite(second)
    expect([first, second]).not.toContain(one.allocPacket(30_001))
    finishOne()
    await tick()
    first.fill(9, 4)
    expect(one.allocPacket(30_001)).toBe(first)
    expect([first.readUInt32BE(), first[4]]).toEqual([30_001, 7])
    expect(one.allocPacket(30_001)).not.toBe(second)
  })

  it('of another length, of small packets and of packets that are not ours is left alone', async () => {
    const written: Buffer[] = []
    const { socket, finishOne } = slowSocket()
    const one = cipher(written)
    reuseMemoryOf(one, socket)
    const large = one.allocPacket(30_002)
    one._onWrite(large)
    finishOne()
    await tick()
    expect(one.allocPacket(30_003)).not.toBe(large)
    const [small, foreign] = [one.allocPacket(100), Buffer.alloc(40_000)]
    one._onWrite(small)
    one._onWrite(foreign)
    expect(written).toEqual([small, foreign])
  })

  it('is not kept when the socket is gone', async () => {
    const { socket } = slowSocket()
    const one = cipher([])
    reuseMemoryOf(one, socket)
    const packet = one.allocPacket(30_004)
    socket.destroy()
    one._onWrite(packet)
    await tick()
    expect(one.allocPacket(30_004)).not.toBe(packet)
  })
})
