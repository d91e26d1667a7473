import { join } from 'node:path'
import type { Artifact } from './artifacts.ts'

/** Where a cluster's artifacts lie under the work directory: `.kubexm/<cluster>/<folder>/<version>/<arch>/<file>`. */
export function artifactPath(workDir: string, cluster: string, artifact: Artifact): string | null {
  const at = (...parts: readonly string[]): string => join(workDir, '.kubexm', cluster, ...parts)
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
    case 'package':
      return null
  }
}
