import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { smallCluster } from '../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { diskStore } from './disk-store.ts'
import { createPki } from './pki.ts'
import type { StoredName } from './store.ts'

const storeIn = (directory: string) => diskStore({ certs: (of) => join(directory, 'certs', of) })
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

/** Every file and directory below, with its mode. */
async function modes(directory: string): Promise<Readonly<Record<string, string>>> {
  const found = await readdir(directory, { recursive: true })
  return Object.fromEntries(await Promise.all(found.sort().map(async (name) => [name, await modeOf(join(directory, name))] as const)))
}

describe('the store on disk', () => {
  it('keeps what the specification names where it says, readable by this user only', () =>
    inTemporaryDirectory(async (directory) => {
      const pki = createPki({ cluster: smallCluster().cluster, store: storeIn(directory) })
      await pki.issue()
      const found = await modes(directory)
      expect(Object.keys(found)).toEqual(
        expect.arrayContaining([
          'certs/etcd/ca.crt',
          'certs/etcd/ca.key',
          'certs/etcd/hosts/node1/etcd-peer.crt',
          'certs/kubernetes/ca.crt',
          'certs/kubernetes/front-proxy-ca.key',
          'certs/kubernetes/sa.key',
          'certs/kubernetes/admin.key',
          'certs/kubernetes/hosts/node1/apiserver.crt',
        ]),
      )
      const wrong = Object.entries(found).filter(
        ([name, mode]) => mode !== (/\.(crt|key)$/.test(name) ? '600' : name === 'certs.lock' ? mode : '700'),
      )
      expect(wrong).toEqual([])
    }))

  it('leaves nothing half-written when the disk refuses', () =>
    inTemporaryDirectory(async (directory) => {
      const store = storeIn(directory)
      await store.write('kubernetes/a.key', 'old')
      // Something that is no file in the way makes the last step of writing fail, whoever runs this test.
      await mkdir(join(directory, 'certs/kubernetes/b.key/x'), { recursive: true })
      await expect(store.write('kubernetes/b.key', 'new')).rejects.toMatchObject({ code: 'KX_PKI_STORE' })
      expect((await readdir(join(directory, 'certs/kubernetes'))).sort()).toEqual(['a.key', 'b.key'])
      await expect(store.read('kubernetes/b.key')).rejects.toMatchObject({ code: 'KX_PKI_STORE' })
    }))

  it('replaces a file in one go, whatever its mode was', () =>
    inTemporaryDirectory(async (directory) => {
      const store = storeIn(directory)
      const file = join(directory, 'certs/etcd/ca.key')
      await store.write('etcd/ca.key', 'one')
      await chmod(file, 0o644)
      await store.write('etcd/ca.key', 'two')
      expect([await readFile(file, 'utf8'), await modeOf(file)]).toEqual(['two', '600'])
    }))

  it('makes a file once, of many that try', () =>
    inTemporaryDirectory(async (directory) => {
      const name: StoredName = 'kubernetes/sa.key'
      const given = await Promise.all(Array.from({ length: 20 }, (_, i) => storeIn(directory).create(name, `key ${i}`)))
      expect(new Set(given).size).toBe(1)
      expect(await storeIn(directory).read(name)).toBe(given[0])
      expect(await readdir(join(directory, 'certs/kubernetes'))).toEqual(['sa.key'])
    }))

  it('lets one store work at a time, and all work of one store together', () =>
    inTemporaryDirectory(async (directory) => {
      const seen: string[] = []
      const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const [one, two] = [storeIn(directory), storeIn(directory)]
      const first = one.exclusively(async () => {
        entered.resolve()
        await leave.promise
        seen.push('first')
      })
      await entered.promise
      const other = two.exclusively(async () => seen.push('of another'))
      await one.exclusively(async () => seen.push('beside the first'))
      // Long enough for the other to come in, if it could.
      await new Promise((resolve) => setTimeout(resolve, 100))
      leave.resolve()
      await Promise.all([first, other])
      expect(seen).toEqual(['beside the first', 'first', 'of another'])
    }))

  it('knows whether anything is kept, and forgets it', () =>
    inTemporaryDirectory(async (directory) => {
      const store = storeIn(directory)
      expect(await store.exists()).toBe(false)
      await store.write('etcd/ca.crt', 'x')
      expect(await store.exists()).toBe(true)
      await writeFile(join(directory, 'other'), 'stays')
      await store.clear()
      expect(await store.exists()).toBe(false)
      expect(await readdir(directory)).toEqual(['other'])
    }))
})
