export { type PkiAccess, pkiAccess } from './access.ts'
export { diskStore } from './disk-store.ts'
export { certificateTimes } from './inspect.ts'
export { entriesOf } from './kubeconfig-entries.ts'
export { createPki, type Pki } from './pki.ts'
export { type PlacedCertificate, placedCertificates } from './placed.ts'
export type { SigningRequest } from './request.ts'
export { memoryStore, overlayStore } from './store.ts'
export {
  type Authority,
  authorities,
  etcdAuthorityOnMembers,
  type KubeconfigId,
  kubeconfigs,
  type LeafId,
  leaves,
  type PairPaths,
  serviceAccountPaths,
} from './table.ts'
export {
  addToUserKubeconfig,
  isInUserKubeconfig,
  removeFromUserKubeconfigs,
  type UserKubeconfig,
  userKubeconfigsOf,
} from './user-kubeconfig.ts'
