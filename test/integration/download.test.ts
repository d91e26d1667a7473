import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DownloadOptions, download } from '../../src/resource/download.ts'
import { HttpClient } from '../../src/resource/http.ts'
import type { Progress } from '../../src/resource/progress.ts'
import { sha256 } from '../../src/util/hash.ts'
import { BadHttpServer, type Behaviour } from '../support/bad-http-server.ts'

const body = randomBytes(300_000)
const honest: Behaviour = { kind: 'honest' }

let directory: string
let server: BadHttpServer
let http: HttpClient

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-download-'))
  server = await BadHttpServer.start()
  http = new HttpClient({ stall: 300, proxy: {} })
})

afterEach(async () => {
  http[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const to = (): string => join(directory, 'file')
const options = (more: Partial<DownloadOptions> = {}): DownloadOptions => ({ http, backoff: 1, attempts: 4, ...more })

describe('a source that misbehaves and then mends', () => {
  const scenarios: readonly {
    readonly name: string
    readonly behaviours: readonly Behaviour[]
    readonly ranges: readonly (string | undefined)[]
  }[] = [
    { name: 'behaves', behaviours: [honest], ranges: [undefined] },
    {
      name: 'cuts once: the rest is fetched, not the whole',
      behaviours: [{ kind: 'cut', after: 100_000 }, honest],
      ranges: [undefined, 'bytes=100000-'],
    },
    {
      name: 'cuts again and again, but always brings something',
      behaviours: [...Array.from({ length: 7 }, () => ({ kind: 'cut', after: 40_000 }) as const), honest],
      ranges: [undefined, ...[1, 2, 3, 4, 5, 6, 7].map((n) => `bytes=${n * 40_000}-`)],
    },
    { name: 'stalls once', behaviours: [{ kind: 'stall', after: 50_000 }, honest], ranges: [undefined, 'bytes=50000-'] },
    { name: 'announces more than it sends', behaviours: [{ kind: 'lie', by: 1000 }, honest], ranges: [undefined, 'bytes=300000-'] },
    {
      name: 'has a bad moment',
      behaviours: [{ kind: 'status', status: 503 }, { kind: 'status', status: 429 }, honest],
      ranges: [undefined, undefined, undefined],
    },
    { name: 'does not resume', behaviours: [{ kind: 'cut', after: 100_000 }, { kind: 'no-ranges' }], ranges: [undefined, 'bytes=100000-'] },
    {
      name: 'resumes at the wrong place',
      behaviours: [{ kind: 'cut', after: 100_000 }, { kind: 'other-range' }, honest],
      ranges: [undefined, 'bytes=100000-', undefined],
    },
  ]
  test.each(scenarios)('$name', async ({ behaviours, ranges }) => {
    const url = server.serve('/f', body, ...behaviours)
    const hashed = await download({ url, to: to(), sha256: sha256(body) }, options())
    expect(hashed).toEqual({ sha256: sha256(body), size: body.length })
    expect(await readFile(to())).toEqual(body)
    expect(server.seen.map(({ range }) => range)).toEqual(ranges)
    expect(await readdir(directory)).toEqual(['file'])
  })
})

describe('a source that stays bad: the error says why and nothing is left', () => {
  const scenarios: readonly { readonly name: string; readonly behaviour: Behaviour; readonly error: object; readonly requests: number }[] =
    [
      {
        name: 'not found',
        behaviour: { kind: 'status', status: 404 },
        error: { code: 'KX_DOWNLOAD_REFUSED', params: { status: 404 } },
        requests: 1,
      },
      {
        name: 'forbidden',
        behaviour: { kind: 'status', status: 403 },
        error: { code: 'KX_DOWNLOAD_REFUSED', params: { status: 403 } },
        requests: 1,
      },
      {
        name: 'broken',
        behaviour: { kind: 'status', status: 500 },
        error: { code: 'KX_DOWNLOAD', params: { why: 'it answered 500' } },
        requests: 4,
      },
      { name: 'cuts before the first byte', behaviour: { kind: 'cut', after: 0 }, error: { code: 'KX_DOWNLOAD' }, requests: 4 },
      {
        name: 'stalls before the first byte',
        behaviour: { kind: 'stall', after: 0 },
        error: { code: 'KX_DOWNLOAD', params: { why: expect.stringContaining('nothing arrived') } },
        requests: 4,
      },
      { name: 'announces less than it has', behaviour: { kind: 'lie', by: -1000 }, error: { code: 'KX_CHECKSUM' }, requests: 1 },
      { name: 'serves wrong bytes', behaviour: { kind: 'wrong-bytes' }, error: { code: 'KX_CHECKSUM' }, requests: 1 },
      {
        name: 'redirects in a circle',
        behaviour: { kind: 'redirect', to: '/f' },
        error: { code: 'KX_DOWNLOAD_REFUSED', params: { status: 302 } },
        requests: 11,
      },
    ]
  test.each(scenarios)('$name', async ({ behaviour, error, requests }) => {
    const url = server.serve('/f', body, behaviour)
    await expect(download({ url, to: to(), sha256: sha256(body) }, options())).rejects.toMatchObject(
      'params' in error ? { ...error, params: expect.objectContaining(error.params) } : error,
    )
    expect(server.seen).toHaveLength(requests)
    expect(await readdir(directory)).toEqual([])
  })
})

test('a wrong checksum names both', async () => {
  const url = server.serve('/f', body)
  const expected = sha256('something else')
  await expect(download({ url, to: to(), sha256: expected }, options())).rejects.toMatchObject({
    params: { what: url, expected, got: sha256(body) },
  })
})

test('a file that is already there with the right bytes is not fetched, one with wrong bytes is replaced', async () => {
  const url = server.serve('/f', body)
  await writeFile(to(), body)
  await download({ url, to: to(), sha256: sha256(body) }, options())
  expect(server.seen).toEqual([])
  await writeFile(to(), 'rubbish')
  await download({ url, to: to(), sha256: sha256(body) }, options())
  expect(await readFile(to())).toEqual(body)
})

test('redirections are followed, and credentials stay with the host they were given for', async () => {
  await using other = await BadHttpServer.start()
  const final = other.serve('/real', body)
  const url = server.serve('/f', body, { kind: 'redirect', to: final })
  await download({ url, to: to(), sha256: sha256(body) }, options({ headers: { authorization: 'Basic c2VjcmV0' } }))
  expect(server.seen[0]?.authorization).toBe('Basic c2VjcmV0')
  expect(other.seen[0]?.authorization).toBeUndefined()
})

test('a file that is replaced between two attempts is not mixed with the old one', async () => {
  const newer = randomBytes(200_000)
  const url = server.serve('/f', body, { kind: 'cut', after: 100_000 }, { kind: 'replaced', body: newer })
  await download({ url, to: to(), sha256: sha256(newer) }, options())
  expect(await readFile(to())).toEqual(newer)
})

test('bytes that came in two parts and do not fit together are fetched once more, whole', async () => {
  const url = server.serve('/f', body, honest)
  const lock = join(directory, 'locks', 'f')
  const etag = `"${sha256(body).slice(0, 16)}"`
  await writeFile(`${to()}.part`, randomBytes(1000))
  await writeFile(`${to()}.part.json`, JSON.stringify({ url, validator: etag, total: body.length }))
  await download({ url, to: to(), sha256: sha256(body) }, options({ lock }))
  expect(server.seen.map(({ range }) => range)).toEqual(['bytes=1000-', undefined])
  expect(await readFile(to())).toEqual(body)
})

test('with a lock the next run continues where a killed one stopped', async () => {
  const lock = join(directory, 'locks', 'f')
  const url = server.serve('/f', body, { kind: 'cut', after: 120_000 }, { kind: 'status', status: 503 })
  await expect(download({ url, to: to(), sha256: sha256(body) }, options({ lock }))).rejects.toMatchObject({ code: 'KX_DOWNLOAD' })
  expect((await stat(`${to()}.part`)).size).toBe(120_000)
  server.serve('/f', body, honest)
  await download({ url, to: to(), sha256: sha256(body) }, options({ lock }))
  expect(server.seen.at(-1)?.range).toBe('bytes=120000-')
  expect((await readdir(directory)).sort()).toEqual(['file', 'locks'])
})

test('cancelling ends a stalled download at once and leaves nothing', async () => {
  const url = server.serve('/f', body, { kind: 'stall', after: 1000 })
  const controller = new AbortController()
  const patient = new HttpClient({ stall: 60_000, proxy: {} })
  const running = download({ url, to: to(), sha256: sha256(body) }, options({ http: patient, signal: controller.signal }))
  setTimeout(() => controller.abort(new Error('enough')), 100)
  await expect(running).rejects.toThrow()
  expect(await readdir(directory)).toEqual([])
  patient[Symbol.dispose]()
})

test('a disk that is too full is told before anything is written', async () => {
  const url = server.serve('/f', body)
  await expect(download({ url, to: to(), sha256: sha256(body) }, options({ freeBytes: async () => 1000 }))).rejects.toMatchObject({
    code: 'KX_DISK_SPACE',
  })
  expect(await readdir(directory)).toEqual([])
})

test('progress ends at the total, with a rate', async () => {
  const url = server.serve('/f', body)
  const seen: Progress[] = []
  await download({ url, to: to(), sha256: sha256(body) }, options({ onProgress: (progress) => void seen.push(progress) }))
  expect(seen.at(-1)).toMatchObject({ done: body.length, total: body.length, eta: 0 })
})

test('proxy variables are obeyed, and NO_PROXY too', async () => {
  const tunnelled: string[] = []
  const proxy = createServer()
  proxy.on('request', (request, response) => {
    tunnelled.push(request.url ?? '')
    const target = new URL(request.url ?? '')
    const upstream = connect(Number(target.port), target.hostname, () => {
      upstream.write(`GET ${target.pathname} HTTP/1.1\r\nHost: ${target.host}\r\nConnection: close\r\n\r\n`)
      upstream.pipe(response.socket as NodeJS.WritableStream)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const url = server.serve('/f', body)
  using through = new HttpClient({ proxy: { HTTP_PROXY: address } })
  await download({ url, to: to(), sha256: sha256(body) }, options({ http: through }))
  expect(tunnelled).toEqual([url])
  await rm(to())
  using around = new HttpClient({ proxy: { HTTP_PROXY: address, NO_PROXY: '127.0.0.1' } })
  await download({ url, to: to(), sha256: sha256(body) }, options({ http: around }))
  expect(tunnelled).toHaveLength(1)
  proxy.closeAllConnections()
  proxy.close()
})
