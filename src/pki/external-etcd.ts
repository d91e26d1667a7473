import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Cluster } from '../config/index.ts'
import { fail } from '../error/index.ts'
import { Secret } from '../util/secret.ts'
import type { Millis } from '../util/time.ts'
import { isKeyOf, readCertificate, usagesIn } from './inspect.ts'
import type { Issued } from './issue.ts'

/** Reads a file of this machine. */
export type ReadText = (file: string) => Promise<string>

/** Reads a file of this machine; `~` is the user's home. */
export const readLocalText: ReadText = (file) => readFile(file.startsWith('~/') ? resolve(homedir(), file.slice(2)) : resolve(file), 'utf8')

/** What the user gave for an etcd of their own, proven to fit together; null for each part that was not given. */
export interface ExternalEtcd {
  readonly authority: string | null
  readonly client: Issued | null
}

/** Reads and checks the files of the user's own etcd. */
export async function loadExternalEtcd({ spec: { etcd } }: Cluster, readText: ReadText, now: Millis): Promise<ExternalEtcd> {
  const { caFile, certFile, keyFile } = etcd.external ?? {}
  const read = async (file: string): Promise<string> => {
    try {
      return await readText(file)
    } catch (cause) {
      throw wrong(file, cause instanceof Error ? cause.message : String(cause), cause)
    }
  }
  const authority = caFile === undefined ? null : await read(caFile)
  if (caFile !== undefined && authority !== null) checkCertificate(caFile, authority, now)
  if (certFile === undefined || keyFile === undefined) return { authority, client: null }
  const client = { cert: await read(certFile), key: new Secret(await read(keyFile)) }
  const cert = checkCertificate(certFile, client.cert, now)
  if (!isKeyOf(cert, client.key.reveal())) throw wrong(keyFile, `it is not the key of ${certFile}, or needs a passphrase`)
  if (!usagesIn(cert).includes('client')) throw wrong(certFile, 'it is not for clients (extended key usage clientAuth)')
  return { authority, client }
}

function checkCertificate(file: string, pem: string, now: Millis) {
  const cert = readCertificate(pem)
  if (cert === null) throw wrong(file, 'it is no certificate in PEM form')
  if (now >= cert.validToDate.getTime()) throw wrong(file, `it ended on ${cert.validToDate.toISOString().slice(0, 10)}`)
  if (now < cert.validFromDate.getTime()) throw wrong(file, `it begins on ${cert.validFromDate.toISOString().slice(0, 10)}`)
  return cert
}

const wrong = (file: string, why: string, cause?: unknown) => fail('KX_PKI_EXTERNAL_ETCD', { file, why }, { cause })
