import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BadHttpServer } from '../../../test/support/bad-http-server.ts'
import { inTemporaryDirectory } from '../../../test/support/engine-run.ts'
import { sha256 } from '../../util/hash.ts'
import { ArtifactCache } from '../cache.ts'
import { HttpClient } from '../http.ts'
import { packageFilesFor } from './host-packages.ts'
import { fetchPackageFiles, parsePackageSource } from './package-source.ts'

describe('a source of packages', () => {
  test.each([
    ['rocky-9=/srv/rpms', { os: 'rocky-9', kind: 'directory', directory: '/srv/rpms' }],
    [
      'debian-12=deb https://mirror.example.com/debian/ bookworm main contrib',
      { os: 'debian-12', kind: 'deb', base: 'https://mirror.example.com/debian', suite: 'bookworm', components: ['main', 'contrib'] },
    ],
    [
      'ubuntu-24.04=deb [arch=amd64 trusted=yes] http://mirror/packages ./',
      { os: 'ubuntu-24.04', kind: 'deb', base: 'http://mirror/packages', suite: './', components: [] },
    ],
  ])('%s', (text, source) => expect(parsePackageSource(text)).toEqual(source))

  test.each([
    ['/srv/rpms', 'form'],
    ['debian=/srv/debs', 'form'],
    ['debian-12=deb ftp://x bookworm main', 'apt'],
    ['debian-12=deb https://x bookworm', 'apt'],
    ['debian-12=deb http://x bookworm main', 'https'],
  ])('%s is refused', (text, why) =>
    expect(() => parsePackageSource(text)).toThrow(
      expect.objectContaining({ code: 'KX_PACKAGE_SOURCE', message: expect.stringContaining(why) }),
    ),
  )
})

describe('packages', () => {
  let server: BadHttpServer
  let http: HttpClient
  beforeEach(async () => {
    server = await BadHttpServer.start()
    http = new HttpClient({ proxy: {} })
  })
  afterEach(async () => {
    http[Symbol.dispose]()
    await server[Symbol.asyncDispose]()
  })

  const stanza = (name: string, file: string, depends = ''): string =>
    `Package: ${name}\nVersion: 1\nArchitecture: ${file.includes('_all') ? 'all' : 'amd64'}\nDepends: ${depends}\nFilename: ${file}\nSize: ${name.length}\nSHA256: ${sha256(name)}\n`

  test('come from a repository with what they depend on, proven', () =>
    inTemporaryDirectory(async (directory) => {
      const pool = 'pool/s/socat_1%3a1_amd64.deb'
      const index = [stanza('socat', pool, 'libc6'), stanza('libc6', 'pool/libc6_1_amd64.deb'), stanza('other', 'pool/other_1_all.deb')]
      server.serve('/debian/dists/bookworm/main/binary-amd64/Packages.gz', gzipSync(index.join('\n')))
      server.serve('/debian/pool/s/socat_1%253a1_amd64.deb', Buffer.from('socat'))
      server.serve('/debian/pool/libc6_1_amd64.deb', Buffer.from('libc6'))
      const sources = [parsePackageSource(`debian-12=deb [trusted=yes] ${server.url}/debian bookworm main`)]
      const options = { cache: new ArtifactCache(join(directory, 'cache')), http }
      const files = await fetchPackageFiles(sources, ['socat'], ['amd64'], options)
      expect(files.map(({ artifact }) => artifact.id)).toEqual([
        'package/debian-12/libc6_1_amd64.deb',
        'package/debian-12/socat_1%3a1_amd64.deb',
      ])
      expect(await Promise.all(files.map(({ path }) => readFile(path, 'utf8')))).toEqual(['libc6', 'socat'])

      server.serve('/debian/pool/libc6_1_amd64.deb', Buffer.from('other'))
      const fresh = { cache: new ArtifactCache(join(directory, 'fresh')), http }
      await expect(fetchPackageFiles(sources, ['socat'], ['amd64'], fresh)).rejects.toMatchObject({ code: 'KX_CHECKSUM' })
    }))

  test('come from a directory, all that is there', () =>
    inTemporaryDirectory(async (directory) => {
      for (const name of ['a-1.x86_64.rpm', 'b-1.noarch.rpm', 'notes.txt']) await writeFile(join(directory, name), name)
      const options = { cache: new ArtifactCache(join(directory, 'cache')), http }
      const files = await fetchPackageFiles([parsePackageSource(`rocky-9=${directory}`)], ['socat'], ['amd64'], options)
      expect(files).toMatchObject([
        { artifact: { kind: 'package-file', os: 'rocky-9', fileName: 'a-1.x86_64.rpm' }, sha256: sha256('a-1.x86_64.rpm') },
        { artifact: { fileName: 'b-1.noarch.rpm' } },
      ])
    }))

  test.each([
    ['a repository without an index', () => `debian-12=deb [trusted=yes] ${server.url} ./`, '404'],
    ['a directory that is not there', () => 'rocky-9=/nowhere/at/all', 'ENOENT'],
    ['a directory without packages', () => 'rocky-9=/dev/shm/', 'neither'],
  ])('%s is told', (_, source, why) =>
    inTemporaryDirectory(async (directory) => {
      const options = { cache: new ArtifactCache(directory), http }
      await expect(fetchPackageFiles([parsePackageSource(source())], ['socat'], ['amd64'], options)).rejects.toMatchObject({
        code: 'KX_PACKAGE_SOURCE',
        message: expect.stringContaining(why),
      })
    }),
  )
})

test('each host gets the packages of its own distribution and architecture', () => {
  const host = (name: string, id: string, version: string, arch: string) => ({ name, facts: { os: { id, version }, arch } })
  const hosts = [
    host('a', 'debian', '12', 'amd64'),
    host('b', 'debian', '12', 'arm64'),
    host('c', 'rocky', '9.4', 'amd64'),
    host('d', 'debian', '1', 'amd64'),
  ]
  const keys = [
    'package:debian-12/x_1_amd64.deb',
    'package:debian-12/y_1_all.deb',
    'package:debian-12/z_1_armhf.deb',
    'package:rocky-9/x-1.x86_64.rpm',
    'package:rocky-9/x-1.aarch64.rpm',
    'package:debian-12/../../etc/x_1_all.deb',
    'https://dl.k8s.io/kubelet',
  ]
  const entries = keys.map((key) => ({ id: key, key, sha256: '', size: 1 }))
  expect(packageFilesFor({ version: 1, cluster: 'c', entries }, hosts).map((file) => [file.id, file.hosts])).toEqual([
    ['package:debian-12/x_1_amd64.deb', ['a']],
    ['package:debian-12/y_1_all.deb', ['a', 'b']],
    ['package:rocky-9/x-1.x86_64.rpm', ['c']],
  ])
})
