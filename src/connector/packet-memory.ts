import { randomFillSync } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'

/** What is used of ssh2's cipher for outgoing packets: it encrypts a packet in place, then hands that very memory to the socket. */
export interface OutgoingCipher {
  allocPacket(payload: number): Buffer
  _onWrite(packet: Buffer): void
  /** Only the compiled cipher works in place. */
  readonly _instance?: unknown
}

/** Small packets are not worth the keeping. */
const smallestKept = 16 * 1024
/** Of each size, for all connections together: some 16 MB of the packets of an upload. */
const mostKept = 512

/** Packets nobody uses, by the length of the payload they are made for. */
const free = new Map<number, Buffer[]>()
/** The packets that may be used again, with what they are made for. */
const shapes = new WeakMap<Buffer, { readonly payload: number; readonly padding: number }>()
const paddingAt = 4
const payloadAt = 5

/**
 * New memory for each of the forty thousand packets of a large upload costs more than encrypting them. So the memory of a packet is used
 * again, and only once the socket has called back for the write of that very packet: nobody can look at it any more. A packet that never
 * gets to the socket is left to the garbage collector.
 */
export function reusePacketMemory(client: Client, to: Duplex): void {
  // Each key exchange makes a cipher anew.
  client.on('handshake', () => {
    const { _cipher } = (client as unknown as { readonly _protocol: { readonly _cipher: OutgoingCipher } })._protocol
    if (_cipher._instance !== undefined) reuseMemoryOf(_cipher, to)
  })
}

/** The same for one cipher. */
export function reuseMemoryOf(cipher: OutgoingCipher, to: Duplex): void {
  const allocate = cipher.allocPacket.bind(cipher)
  const write = cipher._onWrite.bind(cipher)
  cipher.allocPacket = (payload) => (payload < smallestKept ? allocate(payload) : (usedPacket(payload) ?? newPacket(allocate, payload)))
  cipher._onWrite = (packet) => {
    if (!shapes.has(packet)) write(packet)
    else if (to.writable) to.write(packet, () => keep(packet))
  }
}

function newPacket(allocate: OutgoingCipher['allocPacket'], payload: number): Buffer {
  const packet = allocate(payload)
  shapes.set(packet, { payload, padding: packet[paddingAt] ?? 0 })
  return packet
}

/** The length in front of a packet is never encrypted and still right; what comes after it is not. */
function usedPacket(payload: number): Buffer | null {
  const packet = free.get(payload)?.pop()
  const shape = packet === undefined ? undefined : shapes.get(packet)
  if (packet === undefined || shape === undefined) return null
  packet[paddingAt] = shape.padding
  return randomFillSync(packet, payloadAt + payload, shape.padding)
}

function keep(packet: Buffer): void {
  const payload = shapes.get(packet)?.payload ?? 0
  const packets = free.get(payload) ?? []
  free.set(payload, packets)
  if (packets.length < mostKept) packets.push(packet)
}
