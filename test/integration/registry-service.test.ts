import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isPublished, publish, RegistryClient } from '../../src/resource/index.ts'
import { builtContent, writeArchive } from '../../src/resource/oci/archive.ts'
import { buildImage } from '../../src/resource/oci/image.ts'
import { writeLayer } from '../../src/resource/oci/layer.ts'
import { remoteImage } from '../../src/resource/oci/transfer.ts'
import { bytesEntry } from '../../src/resource/tar.ts'
import { Secret } from '../../src/util/secret.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { ownRegistry } from '../support/own-registry.ts'
import { registryProgram } from '../support/registry.ts'

const { signal } = new AbortController()

/** One image for two architectures, an archive each, as the cache of this machine has them. */
async function parts(directory: string): Promise<readonly { readonly arch: string; readonly path: string }[]> {
  const shared = await writeLayer(join(directory, 'shared'), [bytesEntry('data', 'x'.repeat(100_000))])
  return await Promise.all(
    ['amd64', 'arm64'].map(async (arch) => {
      const path = join(directory, `${arch}.tar`)
      await writeArchive(
        path,
        builtContent('example.org/team/app:v1', buildImage([shared], { Cmd: [arch] }, { architecture: arch, os: 'linux' })),
      )
      return { arch, path }
    }),
  )
}

test('the registry as kubexm sets it up takes images of all architectures once, from who is known, by its name at its address', () =>
  inTemporaryDirectory(async (directory) => {
    await using running = await ownRegistry(await registryProgram(), directory)
    const { place } = running
    const image = { repository: 'team/app', tag: 'v1', parts: await parts(directory) }
    expect(await isPublished(place, image, signal)).toBe(false)
    expect(await publish(place, image, signal)).toMatchObject({ skipped: 0, mounted: 0 })
    expect(await isPublished(place, image, signal)).toBe(true)
    expect(await publish(place, image, signal)).toMatchObject({ uploaded: 0, uploadedBytes: 0 })
    // Under another name only manifests are sent: the rest is there.
    const copy = await publish(place, { ...image, repository: 'all/app', alsoIn: 'team/app' }, signal)
    expect(copy).toMatchObject({ uploaded: 3, mounted: 3 })
    // Another architecture joins the others: what they have is not sent again.
    const alone = { ...image, tag: 'v2', parts: image.parts.slice(0, 1) }
    await publish(place, alone, signal)
    expect(await isPublished(place, { ...image, tag: 'v2' }, signal)).toBe(false)

    using client = new RegistryClient({
      registry: place.registry,
      address: place.address,
      tls: { ca: place.authority ?? '' },
      ...(place.credentials === null ? {} : { credentials: place.credentials }),
    })
    for (const arch of ['amd64', 'arm64'])
      expect((await remoteImage(client, 'all/app', 'v1', [arch])).top.platform?.architecture).toBe(arch)

    const wrong = { ...place, credentials: { username: 'kubexm', password: new Secret('wrong') } }
    await expect(publish(wrong, image, signal)).rejects.toMatchObject({ code: 'KX_REGISTRY_AUTH' })
    await expect(publish({ ...place, credentials: null }, image, signal)).rejects.toMatchObject({ code: 'KX_REGISTRY_AUTH' })
    await expect(publish({ ...place, authority: null }, image, signal)).rejects.toMatchObject({ code: 'KX_REGISTRY' })
    await expect(publish({ ...place, registry: place.registry.replace('dockerhub', 'other') }, image, signal)).rejects.toMatchObject({
      code: 'KX_REGISTRY',
    })
  }))
