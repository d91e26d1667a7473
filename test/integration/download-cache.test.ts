import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Artifact } from '../../src/resource/artifacts.ts'
import { ArtifactCache } from '../../src/resource/cache.ts'
import { builtInCatalogue, catalogueFile } from '../../src/resource/catalogue.ts'
import { HttpClient } from '../../src/resource/http.ts'
import { ensureArtifacts, type ProvisionEvent } from '../../src/resource/provision.ts'
import { simulatedBinary } from '../../src/simulation/index.ts'
import { sha256 } from '../../src/util/hash.ts'
import { BadHttpServer } from '../support/bad-http-server.ts'

let directory: string
let server: BadHttpServer
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-cache-'))
  server = await BadHttpServer.start()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const source = (path: string): string => JSON.stringify(new URL(`../../src/resource/${path}`, import.meta.url).href)

/** Another process that fetches the given files into the cache and prints where they are. */
const filler = (root: string, wanted: readonly { readonly url: string; readonly sha256: string }[]): string => `
  const { ArtifactCache } = await import(${source('cache.ts')})
  const { HttpClient } = await import(${source('http.ts')})
  const cache = new ArtifactCache(${JSON.stringify(root)})
  using http = new HttpClient({ proxy: {} })
  const wanted = ${JSON.stringify(wanted)}
  const got = await Promise.all(wanted.map((request) => cache.fetch(request, { http })))
  process.stdout.write(got.map(({ path }) => path).join('\\n'))
`

async function otherProcess(script: string): Promise<{ readonly code: number; readonly out: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, out }
}

test('processes that fill the cache at once are all right, and each file is fetched once', async () => {
  const root = join(directory, 'cache')
  const bodies = Array.from({ length: 4 }, () => randomBytes(2_000_000))
  const wanted = bodies.map((body, i) => ({ url: server.serve(`/f${i}`, body), sha256: sha256(body) }))
  const results = await Promise.all([1, 2, 3].map(() => otherProcess(filler(root, wanted))))
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(new Set(results.map(({ out }) => out)).size).toBe(1)
  const cache = new ArtifactCache(root)
  for (const [i, { sha256: hash }] of wanted.entries())
    expect(await readFile((await cache.find(hash, { verify: true })) ?? '')).toEqual(bodies[i])
  expect(server.seen).toHaveLength(4)
  const left = (await readdir(join(root, 'sha256'), { recursive: true })).filter((name) => name.includes('.'))
  expect(left).toEqual([])
})

test('a process that is killed in the middle leaves a part that the next one finishes', async () => {
  const root = join(directory, 'cache')
  const body = randomBytes(1_000_000)
  const wanted = [{ url: server.serve('/f', body, { kind: 'stall', after: 400_000 }, { kind: 'honest' }), sha256: sha256(body) }]
  const child = spawn(process.execPath, ['--input-type=module', '-e', filler(root, wanted)], { stdio: 'ignore' })
  const part = `${new ArtifactCache(root).pathOf(sha256(body))}.part`
  await expect.poll(async () => (await readFile(part).catch(() => Buffer.alloc(0))).length, { timeout: 20_000 }).toBe(400_000)
  child.kill('SIGKILL')
  await once(child, 'close')
  expect((await otherProcess(filler(root, wanted))).code).toBe(0)
  expect(server.seen.at(-1)?.range).toBe('bytes=400000-')
  expect(await readFile(new ArtifactCache(root).pathOf(sha256(body)))).toEqual(body)
})

const kubelet = catalogueFile(builtInCatalogue, 'kubelet', 'v1.34.4', 'amd64')
const flannel = catalogueFile(builtInCatalogue, 'flannel', 'v0.26.7', 'amd64')
const artifacts: readonly Artifact[] = [
  { id: 'kubelet', kind: 'binary', file: kubelet, hosts: [] },
  { id: 'flannel', kind: 'archive', file: flannel, hosts: [] },
]

test("a missing checksum comes from the source's own file and is kept; where there is none, the first one seen is", async () => {
  const [first, second] = [Buffer.from(simulatedBinary('kubelet', 'amd64', 1000)), randomBytes(1000)]
  const path = (url: string): string => url.replace('https:/', '')
  server.serve(path(kubelet.url), first)
  server.serve(path(kubelet.checksumUrl ?? ''), Buffer.from(sha256(first)))
  server.serve(path(flannel.url), second)
  const cache = new ArtifactCache(join(directory, 'cache'))
  using http = new HttpClient({ proxy: {} })
  const events: ProvisionEvent[] = []
  const options = {
    cache,
    catalogue: builtInCatalogue,
    origin: { mirror: server.url },
    http,
    onEvent: (event: ProvisionEvent) => void events.push(event),
  }
  const got = await ensureArtifacts(artifacts, options)
  expect(got.map(({ sha256: hash }) => hash)).toEqual([sha256(first), sha256(second)])
  expect(events).toContainEqual({ type: 'artifact.unverified', id: 'flannel', sha256: sha256(second) })
  expect(await cache.checksums.recall(kubelet.url)).toMatchObject({
    sha256: sha256(first),
    from: `${server.url}${path(kubelet.checksumUrl ?? '')}`,
  })
  const requests = server.seen.length
  await ensureArtifacts(artifacts, options)
  expect(server.seen).toHaveLength(requests)
  // The source now has something else under the same name: the recorded checksum holds against it.
  await rm(cache.pathOf(sha256(second)))
  server.serve(path(flannel.url), randomBytes(1000))
  await expect(ensureArtifacts(artifacts, options)).rejects.toMatchObject({
    code: 'KX_CHECKSUM',
    params: expect.objectContaining({ expected: sha256(second) }),
  })
})

test.each([
  ['for another architecture', simulatedBinary('kubelet', 'arm64', 1000), 'it is for arm64'],
  ['that is none', Buffer.from('<html>not found, politely</html>'), 'it is no program'],
])('a program %s is refused although its checksum is right, and the right one is taken when it is there', async (_, wrong, seen) => {
  const path = (url: string): string => url.replace('https:/', '')
  const serve = (bytes: Uint8Array): void => {
    server.serve(path(kubelet.url), Buffer.from(bytes))
    server.serve(path(kubelet.checksumUrl ?? ''), Buffer.from(sha256(bytes)))
  }
  serve(wrong)
  using http = new HttpClient({ proxy: {} })
  const options = { cache: new ArtifactCache(join(directory, 'cache')), catalogue: builtInCatalogue, origin: { mirror: server.url }, http }
  const wanted = artifacts.filter(({ id }) => id === 'kubelet')
  await expect(ensureArtifacts(wanted, options)).rejects.toMatchObject({
    code: 'KX_PROGRAM_ARCH',
    params: { what: `${server.url}${path(kubelet.url)}`, arch: 'amd64', seen },
  })
  const right = simulatedBinary('kubelet', 'amd64', 1000)
  serve(right)
  expect(await ensureArtifacts(wanted, options)).toMatchObject([{ sha256: sha256(right) }])
})

test('a checksum that no file has had yet is not held against the source that mends it', async () => {
  const path = (url: string): string => url.replace('https:/', '')
  const right = Buffer.from(simulatedBinary('kubelet', 'amd64', 1000))
  server.serve(path(kubelet.url), right)
  server.serve(path(kubelet.checksumUrl ?? ''), Buffer.from(sha256('of last week')))
  using http = new HttpClient({ proxy: {} })
  const options = { cache: new ArtifactCache(join(directory, 'cache')), catalogue: builtInCatalogue, origin: { mirror: server.url }, http }
  const wanted = artifacts.filter(({ id }) => id === 'kubelet')
  await expect(ensureArtifacts(wanted, options)).rejects.toMatchObject({
    code: 'KX_CHECKSUM',
    params: { expected: sha256('of last week') },
  })
  server.serve(path(kubelet.checksumUrl ?? ''), Buffer.from(sha256(right)))
  expect(await ensureArtifacts(wanted, options)).toMatchObject([{ sha256: sha256(right) }])
})
