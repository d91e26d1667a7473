import { generateKeyPairSync, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** One value of DER: its tag, its length, what is in it. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const length = content.length
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes))
const text = (value: string): Buffer => der(0x0c, Buffer.from(value))
const attribute = (type: Buffer, value: string): Buffer => der(0x31, der(0x30, type, text(value)))

/** An IPv4 address as bytes; simulated hosts ask for no others. */
const bytesOf = (address: string): Buffer => Buffer.from(address.split('.').map(Number))
const generalName = (name: string): Buffer => (isIPv4(name) ? der(0x87, bytesOf(name)) : der(0x82, Buffer.from(name)))

/** A request for a certificate as a program would make it: PEM, in base64. */
export function certificateRequest({
  user,
  group,
  names,
}: {
  readonly user: string
  readonly group: string
  readonly names: readonly string[]
}): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = der(0x30, attribute(oid(0x55, 0x04, 0x0a), group), attribute(oid(0x55, 0x04, 0x03), user))
  const alternatives = der(0x30, oid(0x55, 0x1d, 0x11), der(0x04, der(0x30, ...names.map(generalName))))
  const extensionRequest = oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e)
  const attributes = der(0xa0, der(0x30, extensionRequest, der(0x31, der(0x30, alternatives))))
  const info = der(0x30, der(0x02, Buffer.from([0])), subject, publicKey.export({ format: 'der', type: 'spki' }), attributes)
  const algorithm = der(0x30, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const signed = der(0x30, info, algorithm, der(0x03, Buffer.from([0]), sign('sha256', info, privateKey)))
  const lines = signed.toString('base64').replace(/(.{64})(?=.)/g, '$1\n')
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`
  return Buffer.from(pem).toString('base64')
}
