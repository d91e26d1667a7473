import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Seals secret values before they are written to disk. */
export interface SealingKey {
  seal(text: string): string
  open(sealed: string): string
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
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const mine = `${file}.${randomUUID()}`
  await writeFile(mine, randomBytes(32).toString('hex'), { mode: 0o600, flush: true })
  try {
    // Of two processes that start at once one makes the key, whole, and the other reads it.
    await link(mine, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(mine)
  }
  return sealingKey(Buffer.from((await readFile(file, 'utf8')).trim(), 'hex'))
}
