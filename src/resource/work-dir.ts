import { join } from 'node:path'
import type { Artifact } from './artifacts.ts'

/** Where an artifact lies in a cluster's work directory (`.kubexm/<cluster>`): `<folder>/<version>/<arch>/<file>`; null for what has no file. */
export function artifactPath(root: string, artifact: Artifact): string | null {
  const at = (...parts: readonly string[]): string => join(root, ...parts)
  switch (artifact.kind) {
    case 'binary':
    case 'archive':
      return at(
        artifact.file.folder,
        artifact.file.version,
        artifact.file.arch,
        artifact.kind === 'binary' ? artifact.file.name : artifact.file.fileName,
      )
    case 'image':
      return at('images', artifact.arch, `${artifact.image.replaceAll(/[/:@]/g, '_')}.tar`)
    case 'chart':
      return at('charts', artifact.name, artifact.version, artifact.url.slice(artifact.url.lastIndexOf('/') + 1))
    case 'manifest':
      return at('manifests', `${artifact.name}.yaml`)
    case 'package-file':
      return at('packages', artifact.os, artifact.fileName)
    case 'package':
      return null
  }
}
