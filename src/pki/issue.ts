import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, type webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { fail } from '../error/index.ts'
import type { Secret } from '../util/secret.ts'
import type { Usage } from './table.ts'

/** Whom a certificate is for, and how long it holds. */
export interface Subject {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
}

/** A certificate that is signed by an authority. */
export interface LeafSubject extends Subject {
  readonly usages: readonly Usage[]
  /** Names and addresses of a server. */
  readonly names: readonly string[]
}

/** A certificate with its key, both PEM. */
export interface Issued {
  readonly cert: string
  readonly key: Secret
}

/** A quarter of a megabyte of code that most commands never need: loaded when the first certificate is made. */
export async function x509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

/** Makes the certificate of an authority, signed by itself. */
export async function issueAuthority(subject: Subject, key: Secret): Promise<string> {
  const lib = await x509()
  const keys = webKeys(key)
  const cert = await lib.X509CertificateGenerator.createSelfSigned({
    ...common(subject, keys.privateKey),
    name: nameOf(subject),
    keys,
    extensions: [
      new lib.BasicConstraintsExtension(true, undefined, true),
      new lib.KeyUsagesExtension(lib.KeyUsageFlags.digitalSignature | lib.KeyUsageFlags.keyCertSign | lib.KeyUsageFlags.cRLSign, true),
      await lib.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return withLineBreak(cert.toString('pem'))
}

/** An authority as the library wants it. */
interface Signer {
  readonly subject: import('@peculiar/x509').Name
  readonly keyIdentifier: import('@peculiar/x509').AuthorityKeyIdentifierExtension
  readonly privateKey: webcrypto.CryptoKey
}

/** Reading an authority takes longer than signing with it, and it signs much. */
const signers = new WeakMap<Issued, Promise<Signer>>()

function signerOf(authority: Issued): Promise<Signer> {
  const signer = signers.get(authority) ?? readSigner(authority)
  signers.set(authority, signer)
  return signer
}

async function readSigner({ cert, key }: Issued): Promise<Signer> {
  const lib = await x509()
  const read = new lib.X509Certificate(cert)
  const { privateKey, publicKey } = webKeys(key)
  // As the authority itself names its key: one the user brought may do so otherwise than we would.
  const named = read.getExtension(lib.SubjectKeyIdentifierExtension)
  const keyIdentifier =
    named === null ? await lib.AuthorityKeyIdentifierExtension.create(publicKey) : new lib.AuthorityKeyIdentifierExtension(named.keyId)
  return { subject: read.subjectName, keyIdentifier, privateKey }
}

/** Makes the certificate of a key, signed by an authority. */
export async function issueLeaf(subject: LeafSubject, key: Secret, authority: Issued): Promise<string> {
  const lib = await x509()
  const signer = await signerOf(authority)
  const { publicKey } = webKeys(key)
  const { digitalSignature, keyEncipherment } = lib.KeyUsageFlags
  const isRsa = publicKey.algorithm.name.startsWith('RSA')
  const cert = await lib.X509CertificateGenerator.create({
    ...common(subject, signer.privateKey),
    subject: nameOf(subject),
    issuer: signer.subject,
    publicKey,
    signingKey: signer.privateKey,
    extensions: [
      new lib.BasicConstraintsExtension(false, undefined, true),
      // An RSA key may also receive the key of a session, as old clients of TLS want it.
      new lib.KeyUsagesExtension(isRsa ? digitalSignature | keyEncipherment : digitalSignature, true),
      new lib.ExtendedKeyUsageExtension(
        subject.usages.map((usage) => lib.ExtendedKeyUsage[usage === 'server' ? 'serverAuth' : 'clientAuth']),
      ),
      await lib.SubjectKeyIdentifierExtension.create(publicKey),
      signer.keyIdentifier,
      ...(subject.names.length === 0
        ? []
        : [new lib.SubjectAlternativeNameExtension(subject.names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })))]),
    ],
  })
  return withLineBreak(cert.toString('pem'))
}

/** What all certificates have in common; the signature's algorithm follows from the key that signs. */
function common({ notBefore, notAfter }: Subject, signer: webcrypto.CryptoKey) {
  return {
    serialNumber: serialNumber(),
    notBefore,
    notAfter,
    signingAlgorithm: { name: signer.algorithm.name, hash: 'SHA-256' },
  }
}

const nameOf = ({ commonName, organizations }: Subject) => [
  ...organizations.map((organization) => ({ O: [organization] })),
  { CN: [commonName] },
]

/** 126 random bits behind a fixed one: positive, never zero, at most 20 bytes long. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

/** A key as the library wants it. */
function webKeys(pem: Secret): webcrypto.CryptoKeyPair {
  const privateKey = createPrivateKey(pem.reveal())
  const algorithm = webAlgorithm(privateKey)
  return {
    privateKey: privateKey.toCryptoKey(algorithm, true, ['sign']),
    publicKey: createPublicKey(privateKey).toCryptoKey(algorithm, true, ['verify']),
  }
}

function webAlgorithm({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  const curves: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }
  const curve = curves[asymmetricKeyDetails?.namedCurve ?? '']
  if (asymmetricKeyType === 'ec' && curve !== undefined) return { name: 'ECDSA', namedCurve: curve }
  if (asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  throw fail('KX_PKI_KEY_KIND', { kind: asymmetricKeyType ?? 'unknown' })
}

const withLineBreak = (pem: string): string => (pem.endsWith('\n') ? pem : `${pem}\n`)
