import { canonicalJson, type Json } from '../util/json.ts'
import { isMap } from './places.ts'
import { secret } from './primitives.ts'
import { readCanonical, rewrite } from './rewrite.ts'
import { type Ask, SecretSource } from './secret.ts'
import { type Found, isSecretPlace, valuesOf } from './secret-places.ts'
import { Source } from './source.ts'

/**
 * A valid config with the secrets themselves in place of references to them, and login keys in place of their paths: it can then be run
 * elsewhere. The references mean something here only: in this environment, from the directory of the file.
 */
export async function fillReferences(text: string, surroundings: { readonly directory: string; readonly ask: Ask }): Promise<string> {
  const values = new Map<string, string>()
  for (const found of valuesOf(readCanonical(new Source('', text)))) {
    const source = sourceOf(found)
    if (source !== null && !values.has(idOf(found))) values.set(idOf(found), await source.resolve(surroundings))
  }
  return rewrite(text, (found) => {
    const value = sourceOf(found) === null ? undefined : values.get(idOf(found))
    if (value === undefined) return null
    return isKeyPath(found) ? { key: 'privateKey', value } : { value }
  })
}

function sourceOf(found: Found): SecretSource | null {
  if (isKeyPath(found)) return new SecretSource({ kind: 'file', path: String(found.value) })
  if (!isSecretPlace(found) || !isMap(found.value)) return null
  const parsed = secret().safeParse(found.value)
  return parsed.success ? parsed.data : null
}

/** The key beside a path to one wins: then the path is of no consequence. */
const isKeyPath = ({ key, value, holder }: Found): boolean =>
  key === 'privateKeyPath' && typeof value === 'string' && isMap(holder) && holder.privateKey === undefined

const idOf = ({ key, value }: Found): string => `${key === 'privateKeyPath'} ${canonicalJson(value as Json)}`
