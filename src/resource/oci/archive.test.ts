import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../../util/hash.ts'
import { bytesEntry } from '../tar.ts'
import { builtContent, builtIndex, contentsOf, ImageArchive, writeArchive } from './archive.ts'
import { buildImage } from './image.ts'
import { type Layer, writeLayer } from './layer.ts'
import { readAll } from './types.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-oci-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const name = 'registry.k8s.io/pause:3.10'
const layer = (file: string, compression: 'none' | 'gzip' = 'none', order: 1 | -1 = 1): Promise<Layer> =>
  writeLayer(
    join(directory, file),
    [bytesEntry('usr/bin/a', 'aaa', 0o755), bytesEntry('etc/b', 'bbb')].sort(() => order),
    compression,
  )
const amd64 = { architecture: 'amd64', os: 'linux' }

test('a layer depends on its contents alone, and lists the directories above them', async () => {
  const [one, two] = [await layer('one'), await layer('two', 'none', -1)]
  expect(one.descriptor).toEqual(two.descriptor)
  expect(one.diffId).toBe(one.descriptor.digest)
  expect(execFileSync('tar', ['-tf', one.file], { encoding: 'utf8' }).split('\n')).toEqual([
    'etc/',
    'etc/b',
    'usr/',
    'usr/bin/',
    'usr/bin/a',
    '',
  ])
})

test('a compressed layer has the diff id of its plain bytes', async () => {
  const [plain, packed] = [await layer('plain'), await layer('packed', 'gzip')]
  expect(packed.diffId).toBe(plain.diffId)
  expect(packed.descriptor.digest).toBe(`sha256:${sha256(await readFile(packed.file))}`)
  expect(`sha256:${sha256(gunzipSync(await readFile(packed.file)))}`).toBe(packed.diffId)
})

test('an archive gives back what went into it, byte for byte', async () => {
  const image = buildImage([await layer('one')], { Entrypoint: ['/usr/bin/a'] }, amd64)
  const file = join(directory, 'image.tar')
  await writeArchive(file, builtContent(name, image))
  await using archive = await ImageArchive.open(file)
  expect(archive.images).toMatchObject([{ name, top: { digest: image.manifest.digest, platform: amd64 } }])
  const contents = await contentsOf(archive.images[0]?.top ?? image.manifest, archive)
  expect(contents).toHaveLength(3)
  for (const content of contents) {
    const bytes = await readAll(archive.read(content))
    expect(`sha256:${sha256(bytes)}`).toBe(content.digest)
    expect(bytes.length).toBe(content.size)
  }
})

test('several platforms share an archive and their common layers', async () => {
  const common = await layer('one')
  const images = ['amd64', 'arm64'].map((architecture) => buildImage([common], { Cmd: [architecture] }, { architecture, os: 'linux' }))
  const file = join(directory, 'index.tar')
  await writeArchive(file, builtIndex(name, images))
  await using archive = await ImageArchive.open(file)
  const [found] = archive.images
  // The index, two manifests, two configs, one layer.
  expect(found === undefined ? [] : await contentsOf(found.top, archive)).toHaveLength(6)
})

test('a file that is cut or something else is told as such', async () => {
  const file = join(directory, 'bad.tar')
  await writeFile(file, 'hello, this is not an archive at all'.repeat(100))
  await expect(ImageArchive.open(file)).rejects.toMatchObject({ code: 'KX_IMAGE_ARCHIVE' })
  const image = buildImage([await layer('one')], {}, amd64)
  await writeArchive(file, builtContent(name, image))
  await truncate(file, 2048)
  await using archive = await ImageArchive.open(file)
  await expect(readAll(archive.read(image.layers[0]?.descriptor ?? image.manifest))).rejects.toMatchObject({ code: 'KX_IMAGE_ARCHIVE' })
})
