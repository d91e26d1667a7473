import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { Secret } from '../util/secret.ts'

/** What keys are made: named as kubeadm names them. */
export type KeyAlgorithm = 'ECDSA-P256' | 'RSA-2048' | 'RSA-3072' | 'RSA-4096'

const generate = promisify(generateKeyPair)

/** Makes a private key, in the one form every program here reads: PKCS #8. */
export async function generateKey(algorithm: KeyAlgorithm): Promise<Secret> {
  const { privateKey } =
    algorithm === 'ECDSA-P256'
      ? await generate('ec', { namedCurve: 'P-256' })
      : await generate('rsa', { modulusLength: Number(algorithm.slice('RSA-'.length)) })
  return new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

/** Reads a private key; null where it is none, or one that needs a passphrase. */
export function readKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

/** The public half of a private key. */
export const publicKeyOf = (key: Secret): string => createPublicKey(key.reveal()).export({ type: 'spki', format: 'pem' }).toString()

/** What a key is; null for kinds that kubexm does not make. */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): KeyAlgorithm | null {
  if (asymmetricKeyType === 'ec') return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'ECDSA-P256' : null
  const name = `RSA-${asymmetricKeyDetails?.modulusLength}`
  return asymmetricKeyType === 'rsa' && (name === 'RSA-2048' || name === 'RSA-3072' || name === 'RSA-4096') ? name : null
}
