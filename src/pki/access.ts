import type { Cluster, SecretSource } from '../config/index.ts'
import { fail } from '../error/index.ts'
import type { Secret } from '../util/secret.ts'
import type { HostName } from '../util/where.ts'
import type { Issued } from './issue.ts'
import type { Pki } from './pki.ts'
import type { KubeconfigId } from './table.ts'

/** How a step gets at certificates and keys; every key it is given is redacted from then on, wherever it might show up. */
export interface PkiAccess extends Omit<Pki, 'kubeconfig'> {
  /** The text of a kubeconfig for a host, or for `local`, the machine kubexm runs on. */
  kubeconfig(id: KubeconfigId, host: HostName, server?: string): Promise<Secret>
}

interface Circumstances {
  readonly cluster: Cluster
  /** Told of every secret before it is handed out. */
  readonly onSecret: (value: string) => void
  readonly reveal: (source: SecretSource) => Promise<Secret>
}

/** The PKI as a step sees it. */
export function pkiAccess(pki: Pki, { cluster, onSecret, reveal }: Circumstances): PkiAccess {
  const told = <T extends { readonly key: Secret | null }>(pair: T): T => {
    if (pair.key !== null) onSecret(pair.key.reveal())
    return pair
  }
  return {
    ...pki,
    authority: async (of) => told(await pki.authority(of)),
    serviceAccount: async () => told(await pki.serviceAccount()),
    leaf: async (id, host): Promise<Issued> => told(await pki.leaf(id, host)),
    kubeconfig: async (id, host, server) => {
      const { client, text } = await pki.kubeconfig(id, host, server)
      // Of a kubeconfig only the key is secret: hiding each of its lines would hide half of Kubernetes.
      told(client)
      return text
    },
    password: async (of) => {
      const password = await pki.password(of)
      onSecret(password.reveal())
      return password
    },
    encryptionKey: async () => {
      const { encryptionKey: source } = cluster.spec.kubernetes.apiServer.encryption
      const key = source === undefined ? await pki.encryptionKey() : await reveal(source)
      onSecret(key.reveal())
      // The API server reads it strictly: 32 bytes are 43 characters and one sign that fills up.
      if (!/^[A-Za-z0-9+/]{43}=$/.test(key.reveal())) throw fail('KX_PKI_ENCRYPTION_KEY', {})
      return key
    },
  }
}
