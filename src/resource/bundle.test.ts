import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../util/hash.ts'
import type { Artifact } from './artifacts.ts'
import { createBundle, readBundleIndex, verifyBundle } from './bundle.ts'
import { builtInCatalogue, catalogueFile } from './catalogue.ts'
import { readAll } from './oci/types.ts'
import type { Provided } from './provision.ts'
import { bytesEntry, writeTar } from './tar.ts'

let directory: string
let bundle: string
let provided: readonly Provided[]

const kubelet = catalogueFile(builtInCatalogue, 'kubelet', 'v1.34.4', 'amd64')
const artifacts: readonly Artifact[] = [
  { id: 'kubelet/v1.34.4/amd64', kind: 'binary', file: kubelet, hosts: ['a'] },
  { id: 'registry.k8s.io/pause:3.10.1/amd64', kind: 'image', image: 'registry.k8s.io/pause:3.10.1', arch: 'amd64', hosts: ['a'] },
  { id: 'manifest/m', kind: 'manifest', name: 'm', url: 'https://x/m.yaml', sha256: null, hosts: ['a'] },
  { id: 'package/node', kind: 'package', name: 'node', deb: ['socat'], rpm: ['socat'], hosts: ['a'] },
]
const contents = [randomBytes(600_000), randomBytes(3000), Buffer.from('kind: List\n')]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-bundle-'))
  bundle = join(directory, 'b.tar.zst')
  provided = await Promise.all(
    contents.map(async (bytes, i) => {
      const path = join(directory, `file${i}`)
      await writeFile(path, bytes)
      return { artifact: artifacts[i] as Artifact, path, sha256: sha256(bytes), size: bytes.length }
    }),
  )
  await createBundle(bundle, 'prod', provided)
})

afterEach(() => rm(directory, { recursive: true, force: true }))

test('a bundle is whole and complete for what it was made for; the same artifacts give the same bytes', async () => {
  expect(await verifyBundle(bundle, artifacts)).toMatchObject({ absent: [], damaged: [], missing: [], index: { cluster: 'prod' } })
  await createBundle(`${bundle}2`, 'prod', provided.toReversed())
  expect(await readFile(`${bundle}2`)).toEqual(await readFile(bundle))
})

test('what a config needs and the bundle lacks is named', async () => {
  const kubeadm = catalogueFile(builtInCatalogue, 'kubeadm', 'v1.34.4', 'arm64')
  const check = await verifyBundle(bundle, [...artifacts, { id: 'kubeadm/v1.34.4/arm64', kind: 'binary', file: kubeadm, hosts: ['b'] }])
  expect(check.missing).toEqual(['kubeadm/v1.34.4/arm64'])
})

/** The bundle with one change to its uncompressed archive. */
async function tampered(change: (bytes: Buffer) => Buffer): Promise<string> {
  const file = join(directory, 'tampered.tar.zst')
  await writeFile(file, zstdCompressSync(change(zstdDecompressSync(await readFile(bundle)))))
  return file
}

test('one changed byte is found', async () => {
  const needle = (contents[0] as Buffer).subarray(50_000, 50_032)
  const file = await tampered((bytes) => {
    const at = bytes.indexOf(needle)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  })
  const check = await verifyBundle(file)
  expect(check.damaged).toEqual([
    { id: 'kubelet/v1.34.4/amd64', expected: sha256(contents[0] as Buffer), got: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
})

test('a file that is in the index but not in the archive is found', async () => {
  const name = `artifacts/${sha256(contents[1] as Buffer)}`
  // Renamed inside the archive: the header's own checksum is not looked at, the content's is.
  const file = await tampered((bytes) => {
    bytes.write('artifacts/0000', bytes.indexOf(name))
    return bytes
  })
  expect((await verifyBundle(file)).absent).toEqual(['registry.k8s.io/pause:3.10.1/amd64'])
})

test.each([
  ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 5000)],
  ['not compressed', () => Buffer.from('hello')],
  ['empty', () => Buffer.alloc(0)],
])('a file that is %s is no bundle', async (_, change) => {
  const file = join(directory, 'bad.tar.zst')
  await writeFile(file, change(await readFile(bundle)))
  await expect(verifyBundle(file)).rejects.toMatchObject({ code: 'KX_BUNDLE' })
})

test('the index is read without the rest', async () => {
  const file = join(directory, 'cut.tar.zst')
  await writeFile(file, (await readFile(bundle)).subarray(0, 300_000))
  expect((await readBundleIndex(file)).entries.map(({ id }) => id)).toEqual(
    artifacts
      .slice(0, 3)
      .map(({ id }) => id)
      .sort(),
  )
})

test.each([
  ['is no JSON', '{'],
  ['is of another kind', '{"version":2,"cluster":"prod","entries":[]}'],
  ['names no hash', '{"version":1,"cluster":"prod","entries":[{"id":"a","key":"a","sha256":"..","size":1}]}'],
])('an index that %s is told', async (_, text) => {
  const file = join(directory, 'odd.tar.zst')
  const members = async function* () {
    yield bytesEntry('kubexm-bundle.json', text)
  }
  await writeFile(file, zstdCompressSync(await readAll(writeTar(members()))))
  await expect(readBundleIndex(file)).rejects.toMatchObject({ code: 'KX_BUNDLE', message: expect.stringContaining('index') })
})

test('a bundle that is not there is told', async () => {
  await expect(verifyBundle(join(directory, 'none'))).rejects.toMatchObject({
    code: 'KX_BUNDLE',
    message: expect.stringContaining('ENOENT'),
  })
})
