import type { Client, ParsedKey } from 'ssh2'
import protocolUtils from 'ssh2/lib/protocol/utils.js'
import { keyType } from './known-hosts.ts'

/** A private key that presents a certificate in place of its public key. */
export interface CertifiedKey {
  readonly key: ParsedKey
  /** The algorithm named in the request, as in `ssh-ed25519-cert-v01@openssh.com`. */
  readonly algorithm: string
}

const suffix = '-cert-v01@openssh.com'

/** Puts key and certificate (the text of a `-cert.pub` file) together; null when the text is no certificate. */
export function certify(key: ParsedKey, certificate: string): CertifiedKey | null {
  const blob = Buffer.from(certificate.trim().split(/\s+/)[1] ?? '', 'base64')
  if (blob.length < 8 || !keyType(blob).endsWith(suffix)) return null
  // Servers no longer take SHA-1, which is what plain ssh-rsa certificates would be signed with.
  const algorithm = keyType(blob) === `ssh-rsa${suffix}` ? `rsa-sha2-512${suffix}` : keyType(blob)
  const certified = Object.create(key, { type: { value: algorithm }, getPublicSSH: { value: () => blob } }) as ParsedKey
  return { key: certified, algorithm }
}

type Sign = (data: Buffer, done: (signature: Buffer) => void) => void

/** What of ssh2's protocol object is used here. */
interface Protocol {
  authPK(user: string, key: ParsedKey, algorithm: string | undefined, sign?: Sign): void
  readonly _kex: { readonly sessionID: Buffer }
  readonly _authsQueue: string[]
  readonly _packetRW: { readonly write: { readonly allocStart: number; alloc(size: number): Buffer; finalize(packet: Buffer): Buffer } }
}

/**
 * ssh2 writes one algorithm name both into the request and into the signature. With a certificate these differ: the request names the
 * certificate's type, the signature the plain key's. So the signed request of a certified key is composed here.
 */
export function supportCertificate(client: Client, certified: CertifiedKey): void {
  const protocol = (client as unknown as { readonly _protocol: Protocol })._protocol
  const plainRequest = protocol.authPK.bind(protocol)
  protocol.authPK = (user, key, algorithm, sign) => {
    if (sign === undefined || key !== certified.key) return plainRequest(user, key, algorithm, sign)
    const request = Buffer.concat([
      Buffer.from([50]), // SSH_MSG_USERAUTH_REQUEST
      ...[user, 'ssh-connection', 'publickey'].map(field),
      Buffer.from([1]),
      field(certified.algorithm),
      field(key.getPublicSSH()),
    ])
    const plain = certified.algorithm.slice(0, -suffix.length)
    const signature = key.sign(Buffer.concat([field(protocol._kex.sessionID), request]), plain === 'rsa-sha2-512' ? 'sha512' : undefined)
    const payload = Buffer.concat([request, field(Buffer.concat([field(plain), field(sshSignature(plain, signature))]))])
    const packet = protocol._packetRW.write.alloc(payload.length)
    packet.set(payload, protocol._packetRW.write.allocStart)
    protocol._authsQueue.push('publickey')
    protocolUtils.sendPacket(protocol, protocol._packetRW.write.finalize(packet))
  }
}

/** A string as SSH writes it: its length, then its bytes. */
function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** ECDSA signatures come as DER (SEQUENCE of two INTEGERs) and are sent as two SSH integers, which share the encoding of the numbers. */
function sshSignature(algorithm: string, signature: Buffer): Buffer {
  if (!algorithm.startsWith('ecdsa-') || signature[0] !== 0x30) return signature
  let at = (signature[1] ?? 0) > 0x80 ? 3 : 2
  const integer = (): Buffer => {
    const length = signature[at + 1] ?? 0
    const bytes = signature.subarray(at + 2, at + 2 + length)
    at += 2 + length
    return field(bytes)
  }
  return Buffer.concat([integer(), integer()])
}
