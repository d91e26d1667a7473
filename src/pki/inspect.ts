import { X509Certificate } from 'node:crypto'
import type { Millis } from '../util/time.ts'
import type { LeafSubject } from './issue.ts'
import { algorithmOf, type KeyAlgorithm, readKey } from './keys.ts'
import { canonicalName } from './names.ts'
import type { Usage } from './table.ts'

const usageIds: Readonly<Record<string, Usage>> = { '1.3.6.1.5.5.7.3.1': 'server', '1.3.6.1.5.5.7.3.2': 'client' }

/** Reads the first certificate of a PEM text; null where there is none. */
export function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/** Whether a key is that of a certificate. */
export function isKeyOf(cert: X509Certificate, key: string): boolean {
  const read = readKey(key)
  return read !== null && cert.checkPrivateKey(read)
}

/** Whether an authority made a certificate. */
export const isSignedBy = (cert: X509Certificate, authority: X509Certificate): boolean =>
  cert.checkIssued(authority) && cert.verify(authority.publicKey)

/** The names and addresses a certificate holds for, each in its one spelling. */
export function namesIn({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const names = subjectAltName.split(', ').map((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? '')
  return names.filter((name) => name !== '').map(canonicalName)
}

/** What a certificate may be used for, as far as it concerns TLS. */
export const usagesIn = ({ keyUsage }: X509Certificate): readonly Usage[] =>
  // The types say otherwise, but a certificate without the extension has none.
  ((keyUsage as readonly string[] | undefined) ?? []).flatMap((id) => usageIds[id] ?? [])

/** The values of one kind of part of a certificate's subject. */
export const subjectPart = ({ subject }: X509Certificate, part: 'CN' | 'O'): readonly string[] =>
  subject.split('\n').flatMap((line) => (line.startsWith(`${part}=`) ? [line.slice(part.length + 1)] : []))

/** When a certificate must be made anew: thirty days before its end, or in the last third of a shorter life. */
export const renewalTime = (cert: X509Certificate): Millis => {
  const [begin, end] = [cert.validFromDate.getTime(), cert.validToDate.getTime()]
  return end - Math.min(30 * 86_400_000, (end - begin) / 3)
}

/** Until when a certificate holds, and when it should be made anew; null for a text that is none. */
export function certificateTimes(pem: string): { readonly notAfter: Date; readonly renewAt: Millis } | null {
  const cert = readCertificate(pem)
  return cert === null ? null : { notAfter: cert.validToDate, renewAt: renewalTime(cert) }
}

/** What a certificate is to be. */
export type Expected = Omit<LeafSubject, 'notBefore' | 'notAfter'> & { readonly algorithm: KeyAlgorithm }

/** Why a certificate must be made anew, in words; null where it is good. */
export function faultOf(
  stored: { readonly cert: string; readonly key: string },
  expected: Expected,
  authority: X509Certificate,
  now: Millis,
): string | null {
  const cert = readCertificate(stored.cert)
  const key = readKey(stored.key)
  if (cert === null || key === null) return 'it cannot be read'
  if (!cert.checkPrivateKey(key)) return 'its key belongs to another'
  if (!isSignedBy(cert, authority)) return 'another authority signed it'
  const [commonName] = subjectPart(cert, 'CN')
  if (commonName !== expected.commonName || !sameSet(subjectPart(cert, 'O'), expected.organizations)) return 'it is for somebody else'
  if (!sameSet(usagesIn(cert), expected.usages)) return 'it is for another use'
  const names = namesIn(cert)
  if (!sameSet(names, expected.names)) return `its names differ: ${differenceOf(names, expected.names)}`
  if (algorithmOf(key) !== expected.algorithm) return `its key is not ${expected.algorithm}`
  return timeFault(cert, authority, now)
}

function timeFault(cert: X509Certificate, authority: X509Certificate, now: Millis): string | null {
  const end = cert.validToDate.getTime()
  if (now >= end) return `it ended on ${dayOf(end)}`
  // One that lives as long as its authority cannot be made to live longer.
  if (now >= renewalTime(cert) && end < authority.validToDate.getTime()) return `it ends on ${dayOf(end)}`
  return null
}

const dayOf = (time: Millis): string => new Date(time).toISOString().slice(0, 10)

const sameSet = (a: readonly string[], b: readonly string[]): boolean => {
  const [left, right] = [new Set(a), new Set(b)]
  return left.size === right.size && [...left].every((item) => right.has(item))
}

function differenceOf(has: readonly string[], wants: readonly string[]): string {
  const lacking = wants.filter((name) => !has.includes(name)).map((name) => `+${name}`)
  const surplus = has.filter((name) => !wants.includes(name)).map((name) => `-${name}`)
  return [...lacking, ...surplus].join(' ')
}
