import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, createServer, type TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { openssl, verifyStrictly } from '../../test/support/openssl.ts'
import { Secret } from '../util/secret.ts'
import { isSignedBy, namesIn, subjectPart, usagesIn } from './inspect.ts'
import { type Issued, issueAuthority, issueLeaf, type LeafSubject } from './issue.ts'
import { algorithmOf, generateKey, type KeyAlgorithm, publicKeyOf } from './keys.ts'

const dates = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2126-01-01T00:00:00Z') }

async function authorityOf(algorithm: KeyAlgorithm): Promise<Issued> {
  const key = await generateKey(algorithm)
  return { key, cert: await issueAuthority({ commonName: 'kubernetes', organizations: [], ...dates }, key) }
}

const server: LeafSubject = {
  commonName: 'kube-apiserver',
  organizations: [],
  usages: ['server'],
  names: ['kubernetes.default.svc', 'localhost', '127.0.0.1', '::1', '2001:db8::7'],
  ...dates,
}

async function leafOf(authority: Issued, changed: Partial<LeafSubject> = {}, algorithm: KeyAlgorithm = 'ECDSA-P256'): Promise<Issued> {
  const key = await generateKey(algorithm)
  return { key, cert: await issueLeaf({ ...server, ...changed }, key, authority) }
}

describe.each<KeyAlgorithm>(['ECDSA-P256', 'RSA-2048'])('certificates with keys of %s', (algorithm) => {
  it('are what they were asked to be', async () => {
    const authority = await authorityOf(algorithm)
    const leaf = await leafOf(authority, { organizations: ['system:masters', 'b'], usages: ['server', 'client'] }, algorithm)
    const [ca, cert] = [new X509Certificate(authority.cert), new X509Certificate(leaf.cert)]
    expect([ca.ca, ca.subject, ca.issuer]).toEqual([true, 'CN=kubernetes', 'CN=kubernetes'])
    expect(isSignedBy(cert, ca) && isSignedBy(ca, ca) && !isSignedBy(ca, cert)).toBe(true)
    expect(cert.ca).toBe(false)
    expect([subjectPart(cert, 'CN'), subjectPart(cert, 'O')]).toEqual([['kube-apiserver'], ['system:masters', 'b']])
    expect(usagesIn(cert)).toEqual(['server', 'client'])
    expect(namesIn(cert)).toEqual(server.names)
    expect([cert.validFromDate, cert.validToDate]).toEqual([dates.notBefore, dates.notAfter])
    const key = createPrivateKey(leaf.key.reveal())
    expect(cert.checkPrivateKey(key)).toBe(true)
    expect(algorithmOf(key)).toBe(algorithm)
    expect(leaf.key.reveal()).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    expect(publicKeyOf(leaf.key)).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
  })

  it('pass the strictest verification, for their own use and names only', () =>
    inTemporaryDirectory(async (directory) => {
      const authority = await authorityOf(algorithm)
      const [own, other] = [await leafOf(authority, {}, algorithm), await authorityOf(algorithm)]
      const verify = (ca: Issued, purpose: 'sslserver' | 'sslclient', ...checks: readonly string[]) =>
        verifyStrictly(directory, own.cert, ca.cert, purpose, checks)
      const said = [
        await verify(authority, 'sslserver', '-verify_hostname', 'kubernetes.default.svc'),
        await verify(authority, 'sslserver', '-verify_ip', '2001:db8::7'),
        await verify(authority, 'sslserver', '-verify_ip', '192.0.2.1'),
        await verify(authority, 'sslclient'),
        await verify(other, 'sslserver'),
      ]
      const wanted = ['ok', 'ok', /IP address mismatch/, /unsuitable certificate purpose|unsupported certificate purpose/i, /error/]
      if ((await openssl('version')) !== null) {
        for (const [i, one] of said.entries()) expect(one).toMatch(wanted[i] as string | RegExp)
      }
      // What needs no openssl: Node's own verification, in a real handshake.
      expect(await handshake(own, authority)).toBe('authorized')
      expect(await handshake(own, other)).toMatch(/SIGNATURE|ISSUER|VERIFY/)
    }))
})

describe('serial numbers', () => {
  it('are positive, at most 20 bytes, and never the same', async () => {
    const authority = await authorityOf('ECDSA-P256')
    const serials = await Promise.all(
      Array.from({ length: 20 }, async () => new X509Certificate((await leafOf(authority)).cert).serialNumber),
    )
    expect(new Set(serials).size).toBe(20)
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/)
  })
})

describe('an authority the user brings', () => {
  it('signs too, by the name it has for itself', () =>
    inTemporaryDirectory(async (directory) => {
      const [key, cert] = [join(directory, 'own.key'), join(directory, 'own.crt')]
      const subject = '/C=DE/O=Beispiel GmbH/CN=Würzburg Root'
      const made = await openssl(
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-nodes', '-utf8', '-days', '30', '-subj', subject],
        ...['keyUsage=critical,keyCertSign', 'subjectKeyIdentifier=01:02:03', 'authorityKeyIdentifier=none'].flatMap((e) => ['-addext', e]),
        ...['-keyout', key, '-out', cert],
      )
      // Without openssl there is no such authority; the user's is then like one of ours.
      const authority =
        made === null ? await authorityOf('RSA-3072') : { cert: await readFile(cert, 'utf8'), key: new Secret(await readFile(key, 'utf8')) }
      const leaf = await leafOf(authority, { notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + 1e8) })
      expect(isSignedBy(new X509Certificate(leaf.cert), new X509Certificate(authority.cert))).toBe(true)
      expect((await verifyStrictly(directory, leaf.cert, authority.cert, 'sslserver')) ?? 'ok').toBe('ok')
    }))

  it('is refused with a key that kubeadm would refuse', async () => {
    const key = new Secret(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    await expect(issueAuthority({ commonName: 'x', organizations: [], ...dates }, key)).rejects.toMatchObject({
      code: 'KX_PKI_KEY_KIND',
      params: { kind: 'ed25519' },
    })
  })
})

/** How a client that trusts an authority finds a server with this certificate. */
async function handshake(leaf: Issued, trusted: Issued): Promise<string> {
  const listening = createServer({ cert: leaf.cert, key: leaf.key.reveal() }, (socket: TLSSocket) => socket.end())
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  try {
    const socket = connectTls({ host: '127.0.0.1', port, ca: trusted.cert, servername: 'localhost', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const outcome = socket.authorized ? 'authorized' : String(socket.authorizationError)
    socket.destroy()
    return outcome
  } finally {
    listening.close()
  }
}
