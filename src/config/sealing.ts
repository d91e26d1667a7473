import { fail } from '../error/index.ts'
import type { SealingKey } from '../util/sealing.ts'
import type { RawMap } from './places.ts'
import { rewrite } from './rewrite.ts'
import { isLiteral, isSecretPlace, sealedMark, valuesOf } from './secret-places.ts'
import type { Tree } from './tree.ts'

/**
 * A valid config with every literal secret sealed: what may be kept in a database. Everything else stays as it was written, comments and
 * all, unless a comment repeats a secret.
 */
export function sealConfig(text: string, key: SealingKey): string {
  return rewrite(text, (found) =>
    isSecretPlace(found) && isLiteral(found.value) ? { value: sealedMark + key.seal(JSON.stringify(found.value)) } : null,
  )
}

/** A sealed config for people: every secret is `***`. */
export const maskConfig = (sealed: string): string => sealed.replace(sealedWord, '***')

const sealedWord = new RegExp(`${sealedMark}[A-Za-z0-9+/=]+`, 'g')

/** Puts the secrets back into the values of a sealed config, at the places where secrets belong and nowhere else. */
export function openSecrets(tree: Tree, key: SealingKey): void {
  for (const found of [...valuesOf(tree)]) {
    const { holder, key: name, value } = found
    if (typeof value !== 'string' || !value.startsWith(sealedMark) || !isSecretPlace(found)) continue
    ;(holder as RawMap)[name] = opened(value.slice(sealedMark.length), key)
  }
}

function opened(word: string, key: SealingKey): unknown {
  try {
    return JSON.parse(key.open(word))
  } catch (cause) {
    throw fail('KX_SEAL_KEY', { from: 'this process', why: 'a secret of the job was sealed with another one' }, { cause })
  }
}
