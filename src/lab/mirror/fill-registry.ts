import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../../resource/atomic-file.ts'
import { withFileLock } from '../../resource/file-lock.ts'
import { ImageArchive } from '../../resource/oci/archive.ts'
import { parseReference } from '../../resource/oci/reference.ts'
import { RegistryClient } from '../../resource/oci/registry.ts'
import { pushImage } from '../../resource/oci/transfer.ts'
import { type MirrorLayout, mirroredImage } from './layout.ts'
import { startRegistry } from './registry-server.ts'

/** Which archives the registry's storage already holds: image → sha256 of its archive. */
type Filled = Readonly<Record<string, string>>

/**
 * Puts the mirror's images into the registry's storage, through a registry on loopback that runs only for that.
 * The one that serves may be in a namespace that this process cannot reach.
 */
export async function fillRegistry(
  layout: MirrorLayout,
  program: string,
  images: readonly string[],
): Promise<{ readonly pushed: readonly string[] }> {
  return await withFileLock(join(layout.state, 'locks', 'registry'), {}, async () => {
    const note = join(layout.registry, 'kubexm-images.json')
    const before = JSON.parse(await readFile(note, 'utf8').catch(() => '{}')) as Filled
    const wanted = await Promise.all(images.map(async (image) => [image, await archiveHash(layout, image)] as const))
    const missing = wanted.filter(([image, hash]) => before[image] !== hash).map(([image]) => image)
    if (missing.length === 0) return { pushed: [] }
    await using registry = await startRegistry({
      program,
      storage: layout.registry,
      work: join(layout.work, 'registry'),
      address: '127.0.0.1:0',
    })
    using client = new RegistryClient({ registry: registry.address, plainHttp: true, proxy: {} })
    for (const image of missing) await pushArchive(client, mirroredImage(layout, image), image)
    await writeFileAtomically(note, `${JSON.stringify({ ...before, ...Object.fromEntries(wanted) }, null, 2)}\n`)
    return { pushed: missing }
  })
}

/** The names under which the mirror's registry has an image: its path, and without folders where kubeadm expects that of a private registry. */
export function mirrorRepositories(image: string): readonly string[] {
  const { registry, repository } = parseReference(image)
  const flat = repository.slice(repository.lastIndexOf('/') + 1)
  return registry === 'registry.k8s.io' && flat !== repository ? [repository, flat] : [repository]
}

async function pushArchive(client: RegistryClient, file: string, image: string): Promise<void> {
  await using archive = await ImageArchive.open(file)
  const { tag } = parseReference(image)
  const [first = '', ...others] = mirrorRepositories(image)
  for (const { top } of archive.images) {
    await pushImage(archive, top, { client, repository: first, tag })
    for (const repository of others) await pushImage(archive, top, { client, repository, tag, mountFrom: first })
  }
}

/** The hash written beside an archive when it was made. */
const archiveHash = async (layout: MirrorLayout, image: string): Promise<string> =>
  (await readFile(`${mirroredImage(layout, image)}.sha256`, 'utf8')).slice(0, 64)
