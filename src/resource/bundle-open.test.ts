import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../util/hash.ts'
import type { Artifact } from './artifacts.ts'
import { createBundle } from './bundle.ts'
import { openBundle } from './bundle-open.ts'
import { ArtifactCache } from './cache.ts'
import { builtInCatalogue, catalogueFile } from './catalogue.ts'

let directory: string
let bundle: string
let cache: ArtifactCache

const binary = (name: string, arch: 'amd64' | 'arm64', hosts: readonly string[]): Artifact => ({
  id: `${name}/v1.34.4/${arch}`,
  kind: 'binary',
  file: catalogueFile(builtInCatalogue, name, 'v1.34.4', arch),
  hosts,
})
const kubelet = binary('kubelet', 'amd64', ['a'])
const pause: Artifact = { id: 'pause/amd64', kind: 'image', image: 'registry.k8s.io/pause:3.10.1', arch: 'amd64', hosts: ['a'] }
const packages: Artifact = { id: 'package/node', kind: 'package', name: 'node', deb: ['socat'], rpm: ['socat'], hosts: ['a'] }
const contents = [randomBytes(600_000), randomBytes(3000)] as const
const kubeletHash = sha256(contents[0])

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-bundle-'))
  bundle = join(directory, 'b.tar.zst')
  cache = new ArtifactCache(join(directory, 'cache'))
  const provided = [kubelet, pause].map(async (artifact, i) => {
    const bytes = contents[i] ?? Buffer.alloc(0)
    const path = join(directory, `file${i}`)
    await writeFile(path, bytes)
    return { artifact, path, sha256: sha256(bytes), size: bytes.length }
  })
  await createBundle(bundle, 'prod', await Promise.all(provided))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

test('a bundle gives what it holds, once it is unpacked', async () => {
  const opened = await openBundle(bundle, cache)
  opened.demand([kubelet, pause, packages])
  expect(await opened.find(kubelet)).toBeNull()
  const seen: number[] = []
  await Promise.all([opened.unpack({ onBytes: (done) => void seen.push(done) }), opened.unpack()])
  const found = await Promise.all([opened.find(kubelet), opened.find(pause)])
  expect(await Promise.all(found.map((one) => readFile(one?.path ?? '')))).toEqual([...contents])
  expect(seen.at(-1)).toBe(603_000)
})

test('what the cache holds besides the bundle does not count, and the bundle teaches the cache no checksums', async () => {
  const kubeadm = binary('kubeadm', 'amd64', ['a'])
  const { sha256: hash } = await cache.admit(join(directory, 'file1'))
  const address = 'file' in kubeadm ? kubeadm.file.url : ''
  await cache.checksums.record({ url: address, sha256: hash, from: 'an earlier run' })
  const opened = await openBundle(bundle, cache)
  await opened.unpack()
  expect(await opened.find(kubeadm)).toBeNull()
  expect(await cache.checksums.recall('file' in kubelet ? kubelet.file.url : '')).toBeNull()
})

test('everything it lacks is named at once, with the hosts that need it', async () => {
  const opened = await openBundle(bundle, cache)
  const needed = [kubelet, binary('kubelet', 'arm64', ['b', 'c']), binary('kubeadm', 'arm64', ['b'])]
  expect(() => opened.demand(needed)).toThrow(
    expect.objectContaining({
      code: 'KX_BUNDLE_LACKS',
      exitCode: 10,
      message: expect.stringContaining('kubelet/v1.34.4/arm64 and 1 more'),
      seen: 'kubelet/v1.34.4/arm64  needed by b, c\nkubeadm/v1.34.4/arm64  needed by b',
    }),
  )
})

test('another file than the catalogue says it is, is refused', async () => {
  const { file } = kubelet as Extract<Artifact, { kind: 'binary' | 'archive' }>
  const pinned: Artifact = { ...kubelet, kind: 'binary', file: { ...file, sha256: 'f'.repeat(64) } }
  const opened = await openBundle(bundle, cache)
  expect(() => opened.demand([pinned])).toThrow(expect.objectContaining({ code: 'KX_CHECKSUM' }))
})

/** Replaces the bundle by one with a change to its uncompressed archive. */
async function tamper(change: (bytes: Buffer) => void): Promise<void> {
  const bytes = zstdDecompressSync(await readFile(bundle))
  change(bytes)
  await writeFile(bundle, zstdCompressSync(bytes))
}

test('one changed byte is found, and never gets into the cache; nothing half-written is left', async () => {
  await tamper((bytes) => {
    const at = bytes.indexOf(contents[0].subarray(50_000, 50_032))
    bytes[at] = (bytes[at] ?? 0) ^ 1
  })
  const opened = await openBundle(bundle, cache)
  await expect(opened.unpack()).rejects.toMatchObject({ code: 'KX_CHECKSUM', message: expect.stringContaining(kubelet.id) })
  expect(await cache.find(kubeletHash)).toBeNull()
  expect((await readdir(cache.root)).filter((name) => name.startsWith('incoming'))).toEqual([])
  // A second try finds the same: the failure of the first is not taken for a result.
  await expect(opened.unpack()).rejects.toMatchObject({ code: 'KX_CHECKSUM' })
})

test('a file that is in the index but not in the archive is named', async () => {
  await tamper((bytes) => void bytes.write('artifacts/0000', bytes.indexOf(`artifacts/${kubeletHash}`)))
  const opened = await openBundle(bundle, cache)
  await expect(opened.unpack()).rejects.toMatchObject({ code: 'KX_BUNDLE', message: expect.stringContaining(kubelet.id) })
})

test('a bundle that was unpacked before is not read again', async () => {
  await (await openBundle(bundle, cache)).unpack()
  await writeFile(bundle, (await readFile(bundle)).subarray(0, 300_000))
  const again = await openBundle(bundle, cache)
  await again.unpack()
  expect(await again.find(kubelet)).toMatchObject({ sha256: kubeletHash, size: 600_000 })
  await expect((await openBundle(bundle, new ArtifactCache(join(directory, 'other')))).unpack()).rejects.toMatchObject({
    code: 'KX_BUNDLE',
  })
})

test('one that is interrupted leaves nothing half-written', async () => {
  const stop = new AbortController()
  const opened = await openBundle(bundle, cache)
  await expect(opened.unpack({ signal: stop.signal, onBytes: () => stop.abort(new Error('stopped')) })).rejects.toThrow('stopped')
  expect((await readdir(cache.root)).filter((name) => name.startsWith('incoming'))).toEqual([])
})
