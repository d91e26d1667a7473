import { fail } from '../error/index.ts'
import type { Artifact } from '../resource/index.ts'
import type { HostName } from '../util/where.ts'

/** An artifact that lies on this machine, proven. */
export interface LocalArtifact {
  readonly artifact: Artifact
  readonly path: string
  readonly sha256: string
}

/** Where artifacts are kept on this machine and come from; in a rehearsal they are made up. */
export interface ArtifactStore {
  /** What is there; never opens a connection. */
  find(artifact: Artifact): Promise<LocalArtifact | null>
  /** Gets it if it is not there. */
  ensure(
    artifact: Artifact,
    options: { readonly signal: AbortSignal; readonly onBytes: (done: number, total: number) => void },
  ): Promise<LocalArtifact>
}

/** The artifact a host gets under a name: a file of the catalogue, or an image. */
export function artifactFor(artifacts: readonly Artifact[], name: string, host: HostName): Artifact {
  const found = artifacts.find((artifact) => artifact.hosts.includes(host) && nameOf(artifact) === name)
  if (found === undefined) throw fail('KX_BUG', { what: `${host} asks for ${name}, which is not among its artifacts` })
  return found
}

function nameOf(artifact: Artifact): string {
  switch (artifact.kind) {
    case 'image':
      return artifact.image
    case 'binary':
    case 'archive':
      return artifact.file.name
    case 'package-file':
      return artifact.fileName
    default:
      return artifact.name
  }
}
