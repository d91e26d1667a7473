export { type Artifact, artifactsFor, type ClusterShape } from './artifacts.ts'
export { type BundleCheck, type BundleIndex, createBundle, openBundle, verifyBundle } from './bundle.ts'
export { ArtifactCache } from './cache.ts'
export { cacheRoot } from './cache-root.ts'
export {
  type Arch,
  builtInCatalogue,
  type CatalogueFile,
  catalogueFile,
  componentImages,
  containerdMismatch,
  crictlVersionFor,
  defaultVersion,
  etcdVersionFor,
  kubernetesImageTags,
  locate,
  locateImage,
  type Origin,
  originFromEnvironment,
} from './catalogue.ts'
export { loadCatalogue } from './catalogue-load.ts'
export type { Catalogue } from './catalogue-schema.ts'
export { shapeOf } from './cluster-shape.ts'
export { HttpClient, type TlsOptions } from './http.ts'
export { ImageArchive } from './oci/archive.ts'
export type { Credentials } from './oci/auth.ts'
export { parseReference, type Reference } from './oci/reference.ts'
export { RegistryClient, type RegistryOptions } from './oci/registry.ts'
export { type PushReport, pullToArchive, pushImage, remoteImage } from './oci/transfer.ts'
export { formatBytes, type Progress } from './progress.ts'
export {
  announcedSize,
  ensureArtifact,
  ensureArtifacts,
  findArtifact,
  type Provided,
  type ProvisionEvent,
  type ProvisionOptions,
} from './provision.ts'
export { artifactPath } from './work-dir.ts'
