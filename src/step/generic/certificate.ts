import type { Cluster, ClusterHost } from '../../config/index.ts'
import {
  type Authority,
  authorities,
  etcdAuthorityOnMembers,
  type KubeconfigId,
  kubeconfigs,
  type LeafId,
  leaves,
  type PairPaths,
  serviceAccountPaths,
} from '../../pki/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import type { Secret } from '../../util/secret.ts'
import type { Op } from '../op.ts'
import { writeFile } from './file.ts'

/** Who reads the keys; by default root alone. */
interface Holder {
  /** `user:group`, by default root:root. */
  readonly owner?: string
}

/** Where the certificate and the key of a leaf lie on a host. */
export const certificatePaths = (id: LeafId): PairPaths => leaves[id].paths

/** Where an authority lies: for the programs of Kubernetes, or for the members of an etcd that kubexm runs. */
export const authorityPaths = (authority: Authority, reader: 'kubernetes' | 'etcd-member' = 'kubernetes'): PairPaths =>
  authority === 'etcd' && reader === 'etcd-member' ? etcdAuthorityOnMembers : authorities[authority].paths

/** Where the keys of service accounts lie on masters. */
export const serviceAccountKeyPaths = (): typeof serviceAccountPaths => serviceAccountPaths

/** Where a kubeconfig lies on a host. */
export const kubeconfigPath = (id: KubeconfigId): string => kubeconfigs[id].path

/** How an API server on a host knows etcd, and shows itself to it; nothing where that speaks no TLS or asks for no client certificate. */
export const etcdAccess = (
  cluster: Cluster,
  host: ClusterHost,
): { readonly authority: string | null; readonly client: PairPaths | null } => ({
  authority: knowsEtcdAuthority(cluster) ? authorityPaths('etcd').cert : null,
  client: leaves['apiserver-etcd-client'].isFor(cluster, host) ? certificatePaths('apiserver-etcd-client') : null,
})

const knowsEtcdAuthority = ({ spec: { etcd } }: Cluster): boolean => etcd.type !== 'external' || etcd.external?.caFile !== undefined

/** What `etcdAccess` names; the key of the authority too where etcd runs beside the API server and members are signed for. */
export async function placeEtcdAccess(ctx: StepContext, { withKey }: { readonly withKey: boolean }): Promise<readonly Op[]> {
  const { authority, client } = etcdAccess(ctx.cluster, ctx.host)
  return [
    ...(authority === null ? [] : await placeAuthority(ctx, 'etcd', { withKey })),
    ...(client === null ? [] : await placeCertificates(ctx, ['apiserver-etcd-client'])),
  ]
}

/** The certificates of this host with their keys. */
export async function placeCertificates(ctx: StepContext, ids: readonly LeafId[], holder: Holder = {}): Promise<readonly Op[]> {
  const pairs = await Promise.all(ids.map(async (id) => ({ paths: certificatePaths(id), ...(await ctx.pki.leaf(id, ctx.host.name)) })))
  return pairs.flatMap(({ paths, cert, key }) => pairOps(paths, cert, key, holder))
}

interface PlacedAuthority extends Holder {
  /** Only where certificates are signed: on masters. */
  readonly withKey: boolean
  readonly reader?: 'kubernetes' | 'etcd-member'
}

/** The certificate of an authority, for those who check what it signed; with its key for those who sign. */
export async function placeAuthority(
  ctx: StepContext,
  authority: Authority,
  { withKey, reader, ...holder }: PlacedAuthority,
): Promise<readonly Op[]> {
  const { cert, key } = await ctx.pki.authority(authority)
  return pairOps(authorityPaths(authority, reader), cert, withKey ? key : null, holder)
}

/** The keys tokens of service accounts are signed and checked with. */
export async function placeServiceAccountKeys(ctx: StepContext): Promise<readonly Op[]> {
  const { publicKey, key } = await ctx.pki.serviceAccount()
  return [
    writeFile({ path: serviceAccountPaths.publicKey, content: publicKey }),
    writeFile({ path: serviceAccountPaths.key, content: key, mode: '0600' }),
  ]
}

/** A kubeconfig of this host; `server` in place of the URL it would have. */
export async function placeKubeconfig(ctx: StepContext, id: KubeconfigId, { server }: { readonly server?: string } = {}): Promise<Op> {
  return writeFile({ path: kubeconfigPath(id), content: await ctx.pki.kubeconfig(id, ctx.host.name, server), mode: '0600' })
}

/** The key comes first: a service that finds the certificate finds its key too. */
const pairOps = (paths: PairPaths, cert: string, key: Secret | null, { owner = 'root:root' }: Holder): readonly Op[] => [
  ...(key === null ? [] : [writeFile({ path: paths.key, content: key, mode: '0600', owner })]),
  writeFile({ path: paths.cert, content: cert, owner }),
]
