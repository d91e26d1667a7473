import { sha256 } from '../util/hash.ts'
import { packArchive } from './archive.ts'
import { Content, simulatedBinary } from './content.ts'
import type { LocalFiles } from './local-files.ts'

/** As much of an artifact as decides what its file is like. */
interface ArtifactLike {
  readonly id: string
  readonly kind: string
  readonly file?: { readonly name: string; readonly arch: string; readonly programs: readonly string[] }
}

/** Files that stand for artifacts in a rehearsal: programs a simulated host can start, and archives of them. */
export class SimulatedArtifacts {
  readonly #files: LocalFiles
  readonly #made = new Map<string, { readonly path: string; readonly sha256: string }>()

  constructor(files: LocalFiles) {
    this.#files = files
  }

  async make<A extends ArtifactLike>(artifact: A): Promise<{ readonly artifact: A; readonly path: string; readonly sha256: string }> {
    const known = this.#made.get(artifact.id) ?? (await this.#write(artifact))
    this.#made.set(artifact.id, known)
    return { artifact, ...known }
  }

  async #write(artifact: ArtifactLike): Promise<{ readonly path: string; readonly sha256: string }> {
    const path = `/artifacts/${artifact.id}`
    const bytes = await bytesOf(artifact)
    await this.#files.write(path, new Content(bytes))
    return { path, sha256: sha256(bytes) }
  }
}

async function bytesOf({ id, file }: ArtifactLike): Promise<Uint8Array> {
  if (file === undefined) return Buffer.from(`simulated ${id}\n`)
  if (file.programs.length === 0) return simulatedBinary(file.name, file.arch)
  const programs = file.programs.map(
    (path) => [path, { data: simulatedBinary(path.split('/').pop() ?? path, file.arch), mode: 0o755 }] as const,
  )
  return packArchive(Object.fromEntries(programs))
}
