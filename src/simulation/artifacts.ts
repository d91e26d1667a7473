import { packArchive, packImage } from './archive.ts'
import { Content, simulatedBinary } from './content.ts'
import type { LocalFiles } from './local-files.ts'

/** As much of an artifact as decides what its file is like. */
interface ArtifactLike {
  readonly id: string
  readonly kind: string
  readonly image?: string
  readonly arch?: string
  readonly file?: { readonly name: string; readonly arch: string; readonly programs: readonly string[] }
}

/** Files that stand for artifacts in a rehearsal: programs a simulated host can start, archives of them, and images. */
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
    const content = await contentOf(artifact)
    await this.#files.write(path, content)
    return { path, sha256: content.sha256 }
  }
}

const packed = new Map<string, Promise<Content>>()

/** The same artifact is the same content in every rehearsal of a process: packed, hashed and unpacked once. */
function contentOf(artifact: ArtifactLike): Promise<Content> {
  const { id, kind, image, arch, file } = artifact
  const key = JSON.stringify([id, kind, image, arch, file?.name, file?.arch, file?.programs])
  const known = packed.get(key) ?? bytesOf(artifact).then((bytes) => new Content(bytes))
  packed.set(key, known)
  return known
}

async function bytesOf({ id, file, image, arch }: ArtifactLike): Promise<Uint8Array> {
  if (image !== undefined) return packImage(image, arch ?? 'amd64')
  if (file === undefined) return Buffer.from(`simulated ${id}\n`)
  // Programs of one file know which version they are: `kubelet/v1.34.4/amd64`.
  if (file.programs.length === 0) return simulatedBinary(`${file.name} ${id.split('/')[1]}`, file.arch)
  const programs = file.programs.map(
    (path) => [path, { data: simulatedBinary(path.split('/').pop() ?? path, file.arch), mode: 0o755 }] as const,
  )
  return packArchive(Object.fromEntries(programs))
}
