import { randomBytes } from 'node:crypto'
import { Secret } from '../util/secret.ts'
import type { PkiStore, StoredName } from './store.ts'

/** Passwords between programs of the cluster, where the config names none. */
export type KeptPassword = 'registry' | 'vrrp'

/** Secrets that are no keys of certificates, and are kept with these. */
export type KeptSecret = 'encryption' | KeptPassword

const table: Readonly<Record<KeptSecret, { readonly name: StoredName; readonly make: () => string }>> = {
  encryption: { name: 'kubernetes/encryption.key', make: () => randomBytes(32).toString('base64') },
  // Letters, digits, `-` and `_` only: they mean nothing special in any file or URL.
  registry: { name: 'kubernetes/registry.password', make: () => randomBytes(24).toString('base64url') },
  // VRRP has room for eight characters.
  vrrp: { name: 'kubernetes/vrrp.password', make: () => randomBytes(6).toString('base64url') },
}

/** A secret that is made once, where there is none. */
export async function keptSecret(store: PkiStore, of: KeptSecret): Promise<Secret> {
  const { name, make } = table[of]
  const kept = await store.read(name)
  return new Secret(kept ?? (await store.exclusively(() => store.create(name, make()))))
}

/** Whether a secret was made already. */
export const isKept = async (store: PkiStore, of: KeptSecret): Promise<boolean> => (await store.read(table[of].name)) !== null
