export { type Artifact, artifactsFor } from './artifacts.ts'
export { createBundle, verifyBundle } from './bundle.ts'
export { type OpenedBundle, openBundle } from './bundle-open.ts'
export { ArtifactCache } from './cache.ts'
export { artifactRoot } from './cache-root.ts'
export {
  type Arch,
  builtInCatalogue,
  chooseOrigin,
  componentImages,
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
export { imageName, privateRegistryOf } from './image-name.ts'
export { ImageArchive } from './oci/archive.ts'
export { parseReference } from './oci/reference.ts'
export { RegistryClient } from './oci/registry.ts'
export { packageFilesFor } from './packages/host-packages.ts'
export { fetchPackageFiles, parsePackageSource } from './packages/package-source.ts'
export { formatBytes } from './progress.ts'
export {
  announcedSize,
  ensureArtifact,
  ensureArtifacts,
  findArtifact,
  type Provided,
  type ProvisionEvent,
  type ProvisionOptions,
} from './provision.ts'
export { isPublished, type Publication, publish, type RegistryPlace } from './publish.ts'
export { artifactPath } from './work-dir.ts'
