import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { madeOnce } from './made-once.ts'

/** Seals secret values before they are written to disk. */
export interface SealingKey {
  seal(text: string): string
  open(sealed: string): string
  /** Equal for equal texts, and of no use for guessing a text to anyone without the key. */
  fingerprint(text: string): string
}

/** AES-256-GCM; nonce, tag and text in one base64 word. */
export function sealingKey(key: Uint8Array): SealingKey {
  return {
    seal: (text) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
    },
    fingerprint: (text) => createHmac('sha256', key).update('fingerprint\0').update(text).digest('hex'),
    open: (word) => {
      const bytes = Buffer.from(word, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}

/** The key of a work directory: made once, 0600, beside what it seals. */
export async function loadSealingKey(file: string): Promise<SealingKey> {
  return sealingKey(Buffer.from((await madeOnce(file, () => randomBytes(32).toString('hex'))).trim(), 'hex'))
}
