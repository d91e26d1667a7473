import { createHash } from 'node:crypto'
import { createReadStream, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Connection, ConnectionPool, sshConnector } from '../../src/connector/index.ts'
import { createRunner, type Runner, sh } from '../../src/runner/index.ts'
import { startCutProxy } from '../support/cut-proxy.ts'
import { patient, refusal } from '../support/ssh-exec.ts'
import { startSshd, type TestSshd } from '../support/sshd.ts'

let sshd: TestSshd
let connection: Connection
let on: Runner
beforeAll(async () => {
  sshd = await startSshd()
  connection = await sshConnector(sshd.options()).connect(patient())
  on = createRunner({ host: 'box', connection })
})
afterAll(async () => {
  await connection[Symbol.asyncDispose]()
  await sshd[Symbol.asyncDispose]()
})

const attributes = { mode: '0640', owner: 'daemon:root' } as const
/** What is in the directory on the host: the file itself, and leftovers if there are any. */
const left = (): Promise<readonly string[]> => on.files.list('/var/tmp/kx')

/** A file that is not the same in every block, made quickly. */
async function bigFile(path: string, size: number): Promise<string> {
  writeFileSync(path, '')
  truncateSync(path, size)
  const file = await open(path, 'r+')
  for (let at = 0; at < size; at += 10_000_000) await file.write(`block ${at}`, at)
  await file.close()
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk)
  return hash.digest('hex')
}

describe('an upload', () => {
  it('of 1 GB is interrupted without a trace, done with progress, and skipped by its hash', { timeout: 300_000 }, async () => {
    const size = 1_000_000_000
    const local = join(sshd.directory, 'big')
    const sha256 = await bigFile(local, size)
    const path = '/var/tmp/kx/big'
    const stop = new AbortController()
    const interrupted = on.bind({ signal: stop.signal, onProgress: (done) => done > size / 3 && stop.abort(new Error('enough')) })
    await expect(interrupted.files.upload(local, path, { ...attributes, sha256 })).rejects.toThrow('enough')
    expect(await left()).toEqual([])

    const progress: number[] = []
    const watched = on.bind({ signal: patient(), onProgress: (done, total) => progress.push(done / total) })
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    const began = performance.now()
    await watched.files.upload(local, path, { ...attributes, sha256 })
    const took = performance.now() - began
    expect(process.memoryUsage().rss - before).toBeLessThan(150e6)
    expect(progress.length).toBeGreaterThan(100)
    expect(progress.at(-1)).toBe(1)
    expect(progress.every((value, i) => i === 0 || value >= (progress[i - 1] ?? 0))).toBe(true)
    expect(await on.inspect([{ kind: 'file', path }])).toEqual([{ type: 'file', sha256, size, mode: '0640', owner: 'daemon:root' }])
    expect(await left()).toEqual(['big'])

    const again: number[] = []
    const [inode] = await on.inspect([{ kind: 'command', command: sh`stat -c %i ${path}` }])
    const secondBegan = performance.now()
    await on
      .bind({ signal: patient(), onProgress: (done, total) => again.push(done / total) })
      .files.upload(local, path, { mode: '0600', sha256 })
    expect(performance.now() - secondBegan).toBeLessThan(took * 3)
    expect(again).toEqual([1])
    expect(
      await on.inspect([
        { kind: 'command', command: sh`stat -c %i ${path}` },
        { kind: 'file', path },
      ]),
    ).toMatchObject([inode, { mode: '0600', owner: 'root:root' }])
    await on.files.remove(path)
    await rm(local)
  })

  it('whose connection is cut leaves neither a file nor a part of one, and works on the next try', async () => {
    const local = join(sshd.directory, 'cut')
    const sha256 = await bigFile(local, 30_000_000)
    await using proxy = await startCutProxy(sshd.port)
    proxy.cutAfter(10_000_000)
    await using pool = new ConnectionPool()
    pool.add('cut', sshConnector(sshd.options({ target: { ...sshd.options().target, port: proxy.port } })))
    const cut = createRunner({ host: 'cut', connection: await pool.connect('cut', patient()) })
    await on.files.write('/var/tmp/kx/cut', 'old', { mode: '0600' })
    const error = await refusal(cut.files.upload(local, '/var/tmp/kx/cut', { ...attributes, sha256 }))
    expect(error).toMatchObject({ code: 'KX_CONNECTION_LOST', retryable: true })
    await expect.poll(left).toEqual(['cut'])
    expect(await on.files.read('/var/tmp/kx/cut')).toBe('old')
    proxy.cutAfter(Number.POSITIVE_INFINITY)
    await cut.files.upload(local, '/var/tmp/kx/cut', attributes)
    expect(await on.inspect([{ kind: 'file', path: '/var/tmp/kx/cut' }])).toMatchObject([{ sha256 }])
    await on.files.remove('/var/tmp/kx/cut')
  })

  it('of a file that changes meanwhile is refused, and leaves the old one', async () => {
    const local = join(sshd.directory, 'moving')
    const sha256 = await bigFile(local, 30_000_000)
    await on.files.write('/var/tmp/kx/moving', 'old', { mode: '0600' })
    const touching = on.bind({ signal: patient(), onProgress: (done) => void (done > 10_000_000 && utimesSync(local, 1, 1)) })
    const error = await refusal(touching.files.upload(local, '/var/tmp/kx/moving', { ...attributes, sha256 }))
    expect(error).toMatchObject({ code: 'KX_LOCAL_FILE', params: { path: local, why: expect.stringContaining('changed') } })
    await expect.poll(left).toEqual(['moving'])
    expect(await on.files.read('/var/tmp/kx/moving')).toBe('old')
    await on.files.remove('/var/tmp/kx/moving')
  })

  it('says which local file is missing', async () => {
    expect(await refusal(on.files.upload('/nowhere/file', '/var/tmp/kx/x', attributes))).toMatchObject({
      code: 'KX_LOCAL_FILE',
      params: { path: '/nowhere/file' },
    })
    expect(await left()).toEqual([])
  })

  it('says when the disk is full, and leaves the old file', async () => {
    await on.run(sh`mkdir -p /var/tmp/small && mount -t tmpfs -o size=1m tmpfs /var/tmp/small && echo old > /var/tmp/small/f`)
    const local = join(sshd.directory, 'two-mb')
    await bigFile(local, 2_000_000)
    const error = await refusal(on.files.upload(local, '/var/tmp/small/f', attributes))
    expect(error).toMatchObject({ code: 'KX_HOST_DISK_FULL', cause: { code: 'KX_FILE', params: { path: '/var/tmp/small/f' } } })
    expect(error.seen).toContain('No space left on device')
    expect(await on.files.list('/var/tmp/small')).toEqual(['f'])
    expect(await on.files.read('/var/tmp/small/f')).toBe('old\n')
  })
})

describe('a download', () => {
  it('is whole or not there', async () => {
    const back = join(sshd.directory, 'back', 'file')
    await on.run(sh`head -c 20000000 /dev/urandom > /var/tmp/random`)
    const progress: number[] = []
    await on.bind({ signal: patient(), onProgress: (done, total) => progress.push(done / total) }).files.download('/var/tmp/random', back)
    const [state] = await on.inspect([{ kind: 'file', path: '/var/tmp/random' }])
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(back)) hash.update(chunk)
    expect(state).toMatchObject({ sha256: hash.digest('hex'), size: statSync(back).size })
    expect(progress.at(-1)).toBe(1)
    expect(await refusal(on.files.download('/nowhere', join(sshd.directory, 'back', 'none')))).toMatchObject({ code: 'KX_FILE' })
    expect(await readdir(join(sshd.directory, 'back'))).toEqual(['file'])
  })
})

describe('output', () => {
  it('of 100 MB keeps its end only and streams every line, without growing memory', async () => {
    let lines = 0
    let most = 0
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    const watched = on.bind({
      signal: patient(),
      onLine: () => {
        lines++
        if (lines % 50_000 === 0) most = Math.max(most, process.memoryUsage().rss)
      },
    })
    const output = await watched.run(sh`yes 0123456789abcde | head -c 100000000; echo the end`)
    expect(lines).toBe(6_250_001)
    expect(output.truncated).toBe(true)
    expect(output.stdout.length).toBeLessThanOrEqual(1024 * 1024)
    expect(output.stdout.endsWith('the end\n')).toBe(true)
    expect((most - before) / 1e6).toBeLessThan(100)
  })
})
