import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtContent, builtIndex, contentsOf, ImageArchive, writeArchive } from '../../src/resource/oci/archive.ts'
import { buildImage } from '../../src/resource/oci/image.ts'
import { writeLayer } from '../../src/resource/oci/layer.ts'
import { RegistryClient, type RegistryOptions } from '../../src/resource/oci/registry.ts'
import { pullToArchive, pushImage, remoteImage } from '../../src/resource/oci/transfer.ts'
import type { Descriptor } from '../../src/resource/oci/types.ts'
import { bytesEntry } from '../../src/resource/tar.ts'
import { Secret } from '../../src/util/secret.ts'
import { registryUser, type TestRegistry, testRegistry } from '../support/registry.ts'

const credentials = { username: registryUser.username, password: new Secret(registryUser.password) }
const name = 'example.org/team/app:v1'

/** A multi-arch image of two platforms, in an archive. */
async function archiveIn(directory: string): Promise<{ readonly file: string; readonly single: string }> {
  const layer = await writeLayer(join(directory, 'layer'), [bytesEntry('data', randomBytes(3_000_000))])
  const own = await writeLayer(join(directory, 'own'), [bytesEntry('own', 'x')], 'gzip')
  const images = ['amd64', 'arm64'].map((architecture) => buildImage([layer, own], { Cmd: [architecture] }, { architecture, os: 'linux' }))
  const [file, single] = [join(directory, 'index.tar'), join(directory, 'single.tar')]
  await writeArchive(file, builtIndex(name, images))
  if (images[0] !== undefined) await writeArchive(single, builtContent(name, images[0]))
  return { file, single }
}

const topOf = (archive: ImageArchive): Descriptor => {
  const [image] = archive.images
  if (image === undefined) throw new Error('the archive is empty')
  return image.top
}

const kinds: readonly {
  readonly kind: string
  readonly setup: Parameters<typeof testRegistry>[0]
  options(registry: TestRegistry): Omit<RegistryOptions, 'registry'>
}[] = [
  { kind: 'open, plain HTTP', setup: {}, options: () => ({ plainHttp: true }) },
  { kind: 'password, TLS of its own CA', setup: { auth: 'basic', tls: true }, options: ({ ca }) => ({ tls: { ca }, credentials }) },
  { kind: 'tokens, TLS not looked at', setup: { auth: 'token', tls: true }, options: () => ({ tls: { insecure: true }, credentials }) },
]

describe.each(kinds)('a registry: $kind', ({ setup, options }) => {
  let registry: TestRegistry
  let archives: { readonly file: string; readonly single: string }
  beforeAll(async () => {
    registry = await testRegistry(setup)
    archives = await archiveIn(registry.directory)
  })
  afterAll(() => registry[Symbol.asyncDispose]())
  const client = (): RegistryClient => new RegistryClient({ registry: registry.address, proxy: {}, ...options(registry) })

  test('push, then pull: the same digests; a second push sends nothing', async () => {
    using to = client()
    await using archive = await ImageArchive.open(archives.file)
    const top = topOf(archive)
    const contents = await contentsOf(top, archive)
    const first = await pushImage(archive, top, { client: to, repository: 'team/app', tag: 'v1' })
    expect(first).toMatchObject({ digest: top.digest, uploaded: contents.length, skipped: 0 })
    const second = await pushImage(archive, top, { client: to, repository: 'team/app', tag: 'v1' })
    expect(second).toEqual({ digest: top.digest, uploaded: 0, uploadedBytes: 0, mounted: 0, skipped: contents.length })
    const another = await pushImage(archive, top, { client: to, repository: 'team/app', tag: 'v2' })
    expect(another.uploadedBytes).toBe(
      contents.filter(({ mediaType }) => /manifest|index/.test(mediaType)).reduce((sum, { size }) => sum + size, 0),
    )

    const file = join(registry.directory, 'pulled.tar')
    const pulled = await pullToArchive(to, { repository: 'team/app', reference: 'v1', architectures: null }, { file, name })
    expect(pulled.digest).toBe(top.digest)
    await using copy = await ImageArchive.open(file)
    expect((await contentsOf(topOf(copy), copy)).map(({ digest }) => digest)).toEqual(contents.map(({ digest }) => digest))
  })

  test('one platform of several is one image', async () => {
    using from = client()
    const image = await remoteImage(from, 'team/app', 'v1', ['arm64'])
    expect(image.top.platform?.architecture).toBe('arm64')
    const both = await remoteImage(from, 'team/app', 'v1', ['arm64', 'amd64'])
    expect(both.contents).toHaveLength(1 + 2 + 2 + 2)
    await expect(remoteImage(from, 'team/app', 'v1', ['riscv64'])).rejects.toMatchObject({
      code: 'KX_IMAGE_PLATFORM',
      fix: expect.stringContaining('linux/amd64'),
    })
  })

  test('blobs another repository has are mounted, not sent', async () => {
    using to = client()
    await using archive = await ImageArchive.open(archives.single)
    const report = await pushImage(archive, topOf(archive), { client: to, repository: 'team/copy', tag: 'v1', mountFrom: 'team/app' })
    expect(report).toMatchObject({ mounted: 3, uploaded: 1 })
  })

  test('what is not there is told, and null when only asked for', async () => {
    using from = client()
    expect(await from.resolve('team/app', 'none')).toBeNull()
    await expect(from.manifest('team/app', 'none')).rejects.toMatchObject({
      code: 'KX_IMAGE_MISSING',
      params: { registry: registry.address, image: 'team/app:none' },
    })
  })
})

describe('a registry that says no', () => {
  let registry: TestRegistry
  beforeAll(async () => {
    registry = await testRegistry({ auth: 'basic', tls: true })
  })
  afterAll(() => registry[Symbol.asyncDispose]())

  test.each([
    ['no credentials', () => ({}), 'KX_REGISTRY_AUTH'],
    ['a wrong password', () => ({ credentials: { username: 'lab', password: new Secret('wrong') } }), 'KX_REGISTRY_AUTH'],
    ['a certificate nobody knows', () => ({ credentials, tls: {} }), 'KX_REGISTRY'],
    ['plain HTTP to a TLS port', () => ({ credentials, plainHttp: true }), 'KX_DOWNLOAD_REFUSED'],
  ])('%s', async (_, change, code) => {
    using client = new RegistryClient({ registry: registry.address, proxy: {}, tls: { ca: registry.ca }, ...change() })
    const error: unknown = await client.manifest('team/app', 'v1').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code })
    expect(JSON.stringify(error)).not.toContain(registryUser.password)
  })
})

test('bytes that are not what their digest says do not become an archive', async () => {
  await using registry = await testRegistry()
  using client = new RegistryClient({ registry: registry.address, plainHttp: true, proxy: {} })
  const { single } = await archiveIn(registry.directory)
  await using archive = await ImageArchive.open(single)
  await pushImage(archive, topOf(archive), { client, repository: 'a', tag: 'v1' })
  const [, , layer] = await contentsOf(topOf(archive), archive)
  const hex = layer?.digest.slice('sha256:'.length) ?? ''
  const stored = join(registry.directory, 'storage/docker/registry/v2/blobs/sha256', hex.slice(0, 2), hex, 'data')
  const bytes = await readFile(stored)
  bytes[1000] = (bytes[1000] ?? 0) ^ 1
  await writeFile(stored, bytes)
  const file = join(registry.directory, 'bad.tar')
  await expect(pullToArchive(client, { repository: 'a', reference: 'v1', architectures: ['amd64'] }, { file, name })).rejects.toMatchObject(
    { code: 'KX_CHECKSUM' },
  )
  expect(await stat(file).catch(() => null)).toBeNull()
})
