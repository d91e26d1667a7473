import type { X509Certificate } from 'node:crypto'
import { fail } from '../error/index.ts'
import { parseDuration } from '../util/duration.ts'
import { Secret } from '../util/secret.ts'
import type { Millis } from '../util/time.ts'
import { faultOf, isKeyOf, readCertificate } from './inspect.ts'
import { type Issued, issueAuthority, issueLeaf } from './issue.ts'
import { generateKey, type KeyAlgorithm } from './keys.ts'
import type { PkiStore, StoredName } from './store.ts'
import { type Authority, authorities } from './table.ts'
import type { Wanted } from './wanted.ts'

/** How long certificates live, and what keys they have. */
export interface CertificateSettings {
  readonly CADuration: string
  readonly CertDuration: string
  readonly keyAlgorithm: KeyAlgorithm
}

/** What is kept under a name, and why it is not good. */
interface Judged {
  readonly pair: Issued | null
  readonly notAfter: Date | null
  readonly fault: string | null
}

/** Clocks differ a little: a certificate holds already on a machine whose clock is behind by less than this. */
const clockTolerance: Millis = 3_600_000

/** Where an authority is kept. */
export const authorityName = (of: Authority): { readonly cert: StoredName; readonly key: StoredName } => {
  const base = of === 'front-proxy' ? 'kubernetes/front-proxy-ca' : (`${of}/ca` as const)
  return { cert: `${base}.crt`, key: `${base}.key` }
}

/** Keeps authorities and what they sign in a store: makes what is missing, and leaves what is good as it is. */
export class Keeper {
  readonly #store: PkiStore
  readonly #settings: () => CertificateSettings
  readonly #now: () => Millis
  #known = new Map<string, Promise<unknown>>()

  constructor(store: PkiStore, settings: () => CertificateSettings, now: () => Millis) {
    this.#store = store
    this.#settings = settings
    this.#now = now
  }

  /** Made or read once in a process, however many steps ask for it at the same time; a failure is not remembered. */
  once<T>(what: string, make: () => Promise<T>): Promise<T> {
    const before = this.#known.get(what) as Promise<T> | undefined
    if (before !== undefined) return before
    const made = make()
    this.#known.set(what, made)
    made.catch(() => this.#known.delete(what))
    return made
  }

  /** An authority, made where there is none. */
  authority(of: Authority): Promise<Issued> {
    return this.once(`authority ${of}`, async () => (await this.keptAuthority(of)) ?? (await this.#newAuthority(of)))
  }

  /** An authority as it is kept; null where it has yet to be made. It is never replaced: everything in the cluster rests on it. */
  async keptAuthority(of: Authority): Promise<Issued | null> {
    const name = authorityName(of)
    const [cert, key] = await Promise.all([this.#store.read(name.cert), this.#store.read(name.key)])
    if (cert === null) return null
    const read = readCertificate(cert)
    if (read === null || !read.ca) throw fail('KX_PKI_NOT_AUTHORITY', { file: name.cert })
    if (key === null || !isKeyOf(read, key)) throw fail('KX_PKI_AUTHORITY_KEY', { file: name.key })
    if (this.#now() >= read.validToDate.getTime()) {
      throw fail('KX_PKI_AUTHORITY_ENDED', { file: name.cert, when: read.validToDate.toISOString().slice(0, 10) })
    }
    return { cert, key: new Secret(key) }
  }

  #newAuthority(of: Authority): Promise<Issued> {
    return this.#store.exclusively(async () => {
      const name = authorityName(of)
      // A key without a certificate was left by a process that was ended in between: it is as good as a new one.
      const key = await this.#keptKey(name.key)
      const subject = { commonName: authorities[of].commonName, organizations: [], ...this.#lifetime(this.#settings().CADuration) }
      await this.#store.create(name.cert, await issueAuthority(subject, key))
      const made = await this.keptAuthority(of)
      if (made === null) throw fail('KX_BUG', { what: `${name.cert} was written and is not there` })
      return made
    })
  }

  /** A private key without a certificate, made where there is none. */
  key(name: StoredName): Promise<Secret> {
    return this.once(name, () => this.#keptKey(name))
  }

  async #keptKey(name: StoredName): Promise<Secret> {
    const kept = await this.#store.read(name)
    if (kept !== null) return new Secret(kept)
    return this.#store.exclusively(async () => new Secret(await this.#store.create(name, (await this.#newKey()).reveal())))
  }

  /** A certificate and its key, made where there is none or where it is no longer good. */
  pair(wanted: Wanted): Promise<Issued> {
    return this.once(wanted.stored.cert, async () => {
      const authority = await this.authority(wanted.signedBy)
      const kept = await this.judge(wanted, authority)
      if (kept.pair !== null && kept.fault === null) return kept.pair
      return this.#store.exclusively(async () => {
        const meanwhile = await this.judge(wanted, authority)
        if (meanwhile.pair !== null && meanwhile.fault === null) return meanwhile.pair
        const made = await this.mint(wanted, this.#settings().CertDuration)
        // If this is cut off in between, the key does not fit the certificate, and both are made again.
        await this.#store.write(wanted.stored.key, made.key.reveal())
        await this.#store.write(wanted.stored.cert, made.cert)
        return made
      })
    })
  }

  /** A certificate as it is kept, and why it must be made anew. */
  async judge({ stored, expected }: Wanted, authority: Issued | null): Promise<Judged> {
    const [cert, key] = await Promise.all([this.#store.read(stored.cert), this.#store.read(stored.key)])
    const notAfter = cert === null ? null : (readCertificate(cert)?.validToDate ?? null)
    if (cert === null || key === null) return { pair: null, notAfter, fault: 'it is missing' }
    const fault = authority === null ? 'its authority is missing' : faultOf({ cert, key }, expected, certificateOf(authority), this.#now())
    return { pair: { cert, key: new Secret(key) }, notAfter, fault }
  }

  /** A new certificate with a new key, kept nowhere. */
  async mint({ signedBy, expected }: Wanted, duration: string): Promise<Issued> {
    const authority = await this.authority(signedBy)
    const signer = certificateOf(authority)
    const { notBefore, notAfter } = this.#lifetime(duration)
    const key = await this.#newKey()
    const subject = {
      ...expected,
      notBefore: new Date(Math.max(notBefore.getTime(), signer.validFromDate.getTime())),
      // Nothing outlives what vouches for it.
      notAfter: new Date(Math.min(notAfter.getTime(), signer.validToDate.getTime())),
    }
    return { key, cert: await issueLeaf(subject, key, authority) }
  }

  /** Forgets everything, in the store and here. */
  async clear(): Promise<void> {
    await this.#store.exclusively(() => this.#store.clear())
    this.#known = new Map()
  }

  #newKey(): Promise<Secret> {
    return generateKey(this.#settings().keyAlgorithm)
  }

  #lifetime(duration: string): { readonly notBefore: Date; readonly notAfter: Date } {
    const length = parseDuration(duration)
    if (length === null) throw fail('KX_BUG', { what: `${duration} is no duration, and the config accepted it` })
    // The dates in a certificate are whole seconds.
    const now = Math.floor(this.#now() / 1000) * 1000
    return { notBefore: new Date(now - clockTolerance), notAfter: new Date(now + length) }
  }
}

/** The certificate of an authority that was proven to be one. */
export function certificateOf({ cert }: { readonly cert: string }): X509Certificate {
  const read = readCertificate(cert)
  if (read === null) throw fail('KX_BUG', { what: 'a certificate that was read before cannot be read any more' })
  return read
}
