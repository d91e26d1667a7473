import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inTemporaryDirectory } from '../../../test/support/engine-run.ts'
import { ImageArchive } from './archive.ts'
import { document } from './image.ts'
import { RegistryClient } from './registry.ts'
import { pullToArchive } from './transfer.ts'
import { type Descriptor, mediaTypes, readAll } from './types.ts'

/** A registry on loopback with one image for two architectures; counts what is asked for. */
async function withRegistry<T>(use: (registry: string, asked: readonly string[], layer: Descriptor) => Promise<T>): Promise<T> {
  const bytes = new Map<string, { readonly type: string; readonly body: Uint8Array }>()
  const put = ({ descriptor, bytes: body }: ReturnType<typeof document>): Descriptor => {
    bytes.set(descriptor.digest, { type: descriptor.mediaType, body })
    return descriptor
  }
  const layer = put(document(mediaTypes.layer, 'x'.repeat(3 << 20)))
  const manifests = ['amd64', 'arm64'].map((architecture) => {
    const config = put(document(mediaTypes.config, { architecture, os: 'linux' }))
    const manifest = put(document(mediaTypes.manifest, { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer] }))
    return { ...manifest, platform: { os: 'linux', architecture } }
  })
  const index = put(document(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests }))
  bytes.set('v1', bytes.get(index.digest) ?? expect.unreachable())
  const asked: string[] = []
  const server = createServer((request, response) => {
    const name = request.url?.split('/').at(-1) ?? ''
    const found = bytes.get(name)
    asked.push(name)
    if (found === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': found.type, 'content-length': found.body.length }).end(found.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`127.0.0.1:${(server.address() as AddressInfo).port}`, asked, layer)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it('an image is fetched for one architecture, each part of it once, and tells how far it is', () =>
  inTemporaryDirectory((directory) =>
    withRegistry(async (registry, asked, layer) => {
      using client = new RegistryClient({ registry, plainHttp: true, proxy: {} })
      const told: (readonly [number, number])[] = []
      const file = join(directory, 'image.tar')
      const from = { repository: 'team/app', reference: 'v1', architectures: ['arm64'] }
      await pullToArchive(client, from, { file, name: 'docker.io/team/app:v1', onBytes: (...seen) => told.push(seen) })
      await using archive = await ImageArchive.open(file)
      expect(archive.images).toMatchObject([{ name: 'docker.io/team/app:v1', top: { platform: { architecture: 'arm64' } } }])
      expect((await readAll(archive.read(layer))).length).toBe(layer.size)
      expect(asked.filter((digest) => digest === layer.digest)).toHaveLength(1)
      const [last] = told.toReversed()
      expect(last?.[0]).toBe(last?.[1])
      expect(last?.[1]).toBeGreaterThan(layer.size)
      // Once for every MiB, not for every piece that arrives.
      expect(told.length).toBeLessThan(6)
    }),
  ))
