export { type Artifact, artifactsFor } from './artifacts.ts'
export { createBundle, verifyBundle } from './bundle.ts'
export { ArtifactCache } from './cache.ts'
export { cacheRoot } from './cache-root.ts'
export {
  type Arch,
  builtInCatalogue,
  kubernetesImageTags,
  locate,
  locateImage,
  type Origin,
  originFromEnvironment,
} from './catalogue.ts'
export { loadCatalogue } from './catalogue-load.ts'
export type { Catalogue } from './catalogue-schema.ts'
export { shapeOf } from './cluster-shape.ts'
export { HttpClient } from './http.ts'
export { ImageArchive } from './oci/archive.ts'
export { RegistryClient } from './oci/registry.ts'
export { formatBytes } from './progress.ts'
export {
  announcedSize,
  ensureArtifact,
  ensureArtifacts,
  findArtifact,
  type ProvisionEvent,
  type ProvisionOptions,
} from './provision.ts'
