import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../util/hash.ts'
import { ArtifactCache } from './cache.ts'

let directory: string
let cache: ArtifactCache
const bytes = Buffer.from('the bytes')
const hash = sha256(bytes)

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-cache-'))
  cache = new ArtifactCache(join(directory, 'cache'))
  await writeFile(join(directory, 'file'), bytes)
})

afterEach(() => rm(directory, { recursive: true, force: true }))

test('a file is kept under its hash and is a copy: the original can change', async () => {
  const { path } = await cache.admit(join(directory, 'file'), hash)
  expect(path).toBe(join(directory, 'cache', 'sha256', hash.slice(0, 2), hash))
  await writeFile(join(directory, 'file'), 'changed')
  expect(await readFile(path)).toEqual(bytes)
})

test('a file with another hash than expected is refused', async () => {
  await expect(cache.admit(join(directory, 'file'), sha256('other'))).rejects.toMatchObject({ code: 'KX_CHECKSUM', params: { got: hash } })
  expect(await cache.find(hash)).toBeNull()
})

test('a file that was changed behind the back of the cache is removed, and found missing', async () => {
  const { path } = await cache.admit(join(directory, 'file'))
  await chmod(path, 0o644)
  await writeFile(path, 'the bytez')
  await utimes(path, new Date(), new Date(Date.now() + 5000))
  expect(await cache.find(hash)).toBeNull()
  expect(await stat(path).catch(() => null)).toBeNull()
})

test('damage that keeps size and time is found when asked for', async () => {
  const { path } = await cache.admit(join(directory, 'file'))
  const { atime, mtime } = await stat(path)
  await chmod(path, 0o644)
  await writeFile(path, 'the bytez')
  await utimes(path, atime, mtime)
  expect(await cache.find(hash, { verify: true })).toBeNull()
})

test('the same bytes with another time are still the same bytes', async () => {
  const { path } = await cache.admit(join(directory, 'file'))
  await utimes(path, 1, 1)
  expect(await cache.find(hash)).toBe(path)
})

test('work directories share the bytes, and linking again changes nothing', async () => {
  const { path } = await cache.admit(join(directory, 'file'))
  const to = join(directory, '.kubexm', 'prod', 'kubernetes', 'v1', 'amd64', 'kubelet')
  await cache.link(hash, to)
  const first = await stat(to)
  expect(first.ino).toBe((await stat(path)).ino)
  await cache.link(hash, to)
  expect((await stat(to)).ctimeMs).toBe(first.ctimeMs)
  await rm(to)
  await writeFile(to, 'something older')
  await cache.link(hash, to)
  expect(await readFile(to)).toEqual(bytes)
  expect(await readdir(join(to, '..'))).toEqual(['kubelet'])
})

test('on another disk it is a copy, which is noticed when it changes', async () => {
  await cache.admit(join(directory, 'file'))
  const elsewhere = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : directory, 'kubexm-'))
  const to = join(elsewhere, 'kubelet')
  expect(await cache.isLinked(hash, to)).toBe(false)
  await cache.link(hash, to)
  expect(await readFile(to)).toEqual(bytes)
  expect(await cache.isLinked(hash, to)).toBe(true)
  await rm(to)
  await writeFile(to, Buffer.alloc(bytes.length))
  await utimes(to, 1, 1)
  expect(await cache.isLinked(hash, to)).toBe(false)
  await rm(elsewhere, { recursive: true })
})

test('something that could not be made leaves nothing', async () => {
  await expect(
    cache.make(async (path) => {
      await writeFile(path, 'half')
      throw new Error('no more')
    }),
  ).rejects.toThrow('no more')
  expect(await readdir(cache.root)).toEqual([])
})
