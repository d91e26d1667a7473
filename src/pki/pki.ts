import { type Cluster, hostsOf } from '../config/index.ts'
import { fail } from '../error/index.ts'
import { parseDuration } from '../util/duration.ts'
import type { Secret } from '../util/secret.ts'
import type { Millis } from '../util/time.ts'
import type { HostName } from '../util/where.ts'
import { loadExternalEtcd, type ReadText, readLocalText } from './external-etcd.ts'
import type { Issued } from './issue.ts'
import { authorityName, certificateOf, Keeper } from './keeper.ts'
import { isKept, type KeptPassword, keptSecret } from './kept-secret.ts'
import { publicKeyOf } from './keys.ts'
import { renderKubeconfig } from './kubeconfig.ts'
import { type SigningRequest, servingRequestFault } from './request.ts'
import type { PkiStore } from './store.ts'
import { type Authority, type KubeconfigId, kubeconfigs, type LeafId, leaves } from './table.ts'
import { allWanted, holderOf, type Wanted, wantedAuthorities, wantedClient, wantedLeaf } from './wanted.ts'

/** An authority; the key of one that is not ours is not known. */
export interface AuthorityFiles {
  readonly cert: string
  readonly key: Secret | null
}

/** The pair of keys of service accounts. */
export interface ServiceAccountKeys {
  readonly publicKey: string
  readonly key: Secret
}

/** A kubeconfig, and the certificate in it. */
export interface Kubeconfig {
  readonly client: Issued
  readonly text: Secret
}

/** A certificate that is kept, and how it is with it. */
export interface CertificateState {
  readonly what: string
  readonly host: HostName
  readonly notAfter: Date | null
  /** Why it must be made anew; null where it is good. */
  readonly fault: string | null
}

/** The certificates and keys of one cluster. What is asked for and is missing, or no longer good, is made on the spot. */
export interface Pki {
  /** Everything the cluster needs that is missing or no longer good, in words. */
  pending(): Promise<readonly string[]>
  /** Makes all that is pending. */
  issue(): Promise<void>
  authority(of: Authority): Promise<AuthorityFiles>
  serviceAccount(): Promise<ServiceAccountKeys>
  leaf(id: LeafId, host: HostName): Promise<Issued>
  /** `local` is the machine kubexm runs on. */
  kubeconfig(id: KubeconfigId, host: HostName, server?: string): Promise<Kubeconfig>
  /** The key resources are encrypted with in etcd where the config names none: 32 bytes in base64. */
  encryptionKey(): Promise<Secret>
  /** A password that was made once and is kept with the keys. */
  password(of: KeptPassword): Promise<Secret>
  /** Why what a kubelet requests as its serving certificate must not be granted to the node of that name; null where it may be. */
  servingFault(host: HostName, asked: SigningRequest): Promise<string | null>
  /** Every certificate that is kept, and until when it holds; makes nothing. */
  certificates(): Promise<readonly CertificateState[]>
  /** Whether anything is kept. */
  exists(): Promise<boolean>
  /** Forgets everything: what is made after this belongs to a new cluster. */
  destroy(): Promise<void>
}

interface PkiOptions {
  readonly cluster: Cluster
  readonly store: PkiStore
  readonly now?: () => Millis
  readonly readText?: ReadText
}

const serviceAccountName = 'kubernetes/sa.key'

/** The PKI of a cluster, over a store. */
export function createPki({ cluster, store, now = () => Date.now(), readText = readLocalText }: PkiOptions): Pki {
  const keeper = new Keeper(store, () => cluster.spec.certs, now)
  const passing = new Map<string, { readonly until: Millis; readonly client: Promise<Issued> }>()
  const external = () => keeper.once('external etcd', () => loadExternalEtcd(cluster, readText, now()))
  const isExternal = (of: Authority): boolean => of === 'etcd' && cluster.spec.etcd.type === 'external'

  /** Made when asked for; for the first half of its life the same one is given again, so that a step sees what it wrote. */
  const passingClient = (wanted: Wanted, duration: string): Promise<Issued> => {
    const before = passing.get(wanted.stored.cert)
    if (before !== undefined && now() < before.until) return before.client
    const client = keeper.mint(wanted, duration)
    passing.set(wanted.stored.cert, { until: now() + (parseDuration(duration) ?? 0) / 2, client })
    client.catch(() => passing.delete(wanted.stored.cert))
    return client
  }

  const keepsEncryptionKey = (): boolean => {
    const { enabled, encryptionKey: given } = cluster.spec.kubernetes.apiServer.encryption
    return enabled && given === undefined
  }
  const encryptionKey = () => keeper.once('encryption key', () => keptSecret(store, 'encryption'))
  const states = () => certificateStates(cluster, keeper)

  return {
    pending: async () => {
      if (cluster.spec.etcd.type === 'external') await external()
      if (!(await store.exists())) return [`make the authorities, keys and ${allWanted(cluster).length} certificates of the cluster`]
      const kept = await states()
      const keys = [
        { what: 'the key of service accounts', isThere: (await store.read(serviceAccountName)) !== null },
        ...(keepsEncryptionKey() ? [{ what: 'the key for encryption at rest', isThere: await isKept(store, 'encryption') }] : []),
      ]
      return [
        ...kept.flatMap(({ what, fault }) => (fault === null ? [] : [`issue ${what}: ${fault}`])),
        ...keys.flatMap(({ what, isThere }) => (isThere ? [] : [`make ${what}`])),
      ]
    },

    issue: () =>
      store.exclusively(async () => {
        await Promise.all(wantedAuthorities(cluster).map((of) => keeper.authority(of)))
        await Promise.all([...allWanted(cluster).map((wanted) => keeper.pair(wanted)), keeper.key(serviceAccountName)])
        if (keepsEncryptionKey()) await encryptionKey()
        if (cluster.spec.etcd.type === 'external') await external()
      }),

    authority: async (of) => {
      if (!isExternal(of)) return keeper.authority(of)
      const { authority } = await external()
      if (authority === null) throw fail('KX_BUG', { what: 'the authority of an etcd without TLS is asked for' })
      return { cert: authority, key: null }
    },

    serviceAccount: async () => {
      const key = await keeper.key(serviceAccountName)
      return { key, publicKey: publicKeyOf(key) }
    },

    leaf: async (id, host) => {
      const holder = holderOf(cluster, host)
      if (holder === null || !leaves[id].isFor(cluster, holder))
        throw fail('KX_BUG', { what: `${host} asks for ${id}, which it must not have` })
      if (!isExternal(leaves[id].signedBy)) return keeper.pair(wantedLeaf(cluster, id, holder))
      const { client } = await external()
      if (client === null) throw fail('KX_BUG', { what: `${id} is asked for, and the config names no file for it` })
      return client
    },

    kubeconfig: async (id, host, server) => {
      const row = kubeconfigs[id]
      const holder = holderOf(cluster, host)
      if (holder === null ? row.alsoLocal !== true : !row.isFor(cluster, holder))
        throw fail('KX_BUG', { what: `${host} asks for the kubeconfig ${id}, which it must not have` })
      const wanted = wantedClient(cluster, id, holder)
      const client = await (row.passing === undefined ? keeper.pair(wanted) : passingClient(wanted, row.passing))
      const { cert } = await keeper.authority('kubernetes')
      const parts = { cluster: cluster.metadata.name, user: wanted.expected.commonName, authority: cert, client }
      return { client, text: renderKubeconfig({ ...parts, server: server ?? row.server(cluster, holder) }) }
    },

    encryptionKey,
    password: (of) => keeper.once(`password ${of}`, () => keptSecret(store, of)),
    servingFault: async (host, asked) => {
      const node = hostsOf(cluster).find(({ name }) => name === host)
      return node === undefined ? `${asked.username} is no node of the cluster` : servingRequestFault(cluster, node, asked)
    },
    certificates: states,
    exists: () => store.exists(),
    destroy: async () => {
      passing.clear()
      await keeper.clear()
    },
  }
}

/** The authorities and all they signed, as they are kept. */
async function certificateStates(cluster: Cluster, keeper: Keeper): Promise<readonly CertificateState[]> {
  const signers = new Map<Authority, Issued | null>()
  const authorities = await Promise.all(
    wantedAuthorities(cluster).map(async (of): Promise<CertificateState> => {
      const kept = await keeper.keptAuthority(of)
      signers.set(of, kept)
      const notAfter = kept === null ? null : certificateOf(kept).validToDate
      return { what: authorityName(of).cert, host: 'local', notAfter, fault: kept === null ? 'it is missing' : null }
    }),
  )
  const signed = await Promise.all(
    allWanted(cluster).map(async (wanted): Promise<CertificateState> => {
      const { notAfter, fault } = await keeper.judge(wanted, signers.get(wanted.signedBy) ?? null)
      return { what: wanted.what, host: wanted.host, notAfter, fault }
    }),
  )
  return [...authorities, ...signed]
}
