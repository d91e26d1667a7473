import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { clusterOf } from '../../test/support/clusters.ts'
import type { Cluster } from '../config/index.ts'
import type { KubexmError } from '../error/index.ts'
import { issueLeaf, type LeafSubject } from './issue.ts'
import { generateKey } from './keys.ts'
import { createPki } from './pki.ts'
import { memoryStore } from './store.ts'

const start = Date.UTC(2026, 5, 1)
const day = 86_400_000

const clusterWith = (external: string): Cluster =>
  clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {master: [node1], worker: [node1]}
  etcd: {type: external, external: {${external}}}
`)

const cluster = clusterWith('endpoints: ["https://192.0.2.9:2379"], caFile: ca.crt, certFile: etcd.crt, keyFile: etcd.key')

/** The files of an etcd somebody else runs: made here by the etcd authority of another cluster. */
async function theirFiles(changed: Partial<LeafSubject> = {}): Promise<Map<string, string>> {
  const theirs = createPki({ cluster: clusterOf(plain), store: memoryStore(), now: () => start })
  const { cert, key } = await theirs.authority('etcd')
  const clientKey = await generateKey('ECDSA-P256')
  const subject: LeafSubject = {
    commonName: 'root',
    organizations: [],
    usages: ['client'],
    names: [],
    notBefore: new Date(start),
    notAfter: new Date(start + 100 * day),
    ...changed,
  }
  if (key === null) throw new Error('an authority of ours has a key')
  return new Map([
    ['ca.crt', cert],
    ['etcd.crt', await issueLeaf(subject, clientKey, { cert, key })],
    ['etcd.key', clientKey.reveal()],
  ])
}

const plain = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: theirs}
spec:
  hosts: [{name: db1, address: 192.0.2.9, privateKeyPath: ~/.ssh/id_ed25519}]
  roleGroups: {etcd: [db1], master: [db1], worker: [db1]}
`

const pkiWith = (files: ReadonlyMap<string, string>, of = cluster) =>
  createPki({
    cluster: of,
    store: memoryStore(),
    now: () => start + day,
    readText: async (file) => {
      const text = files.get(file)
      if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${file}'`)
      return text
    },
  })

describe('an etcd of the user', () => {
  it('is reached with the files of the user', async () => {
    const files = await theirFiles()
    const pki = pkiWith(files)
    await pki.issue()
    expect(await pki.pending()).toEqual([])
    const client = await pki.leaf('apiserver-etcd-client', 'node1')
    expect([client.cert, client.key.reveal()]).toEqual([files.get('etcd.crt'), files.get('etcd.key')])
    expect(await pki.authority('etcd')).toEqual({ cert: files.get('ca.crt'), key: null })
    expect(new X509Certificate((await pki.authority('kubernetes')).cert).subject).toBe('CN=kubernetes')
  })

  it.each<[string, (files: Map<string, string>) => unknown, string, RegExp]>([
    ['the authority is not there', (files) => files.delete('ca.crt'), 'ca.crt', /no such file/],
    ['the key is not there', (files) => files.delete('etcd.key'), 'etcd.key', /no such file/],
    ['the authority is no certificate', (files) => files.set('ca.crt', 'x'), 'ca.crt', /no certificate/],
    ['the certificate is a key', (files) => files.set('etcd.crt', files.get('etcd.key') ?? ''), 'etcd.crt', /no certificate/],
    ['the key is nonsense', (files) => files.set('etcd.key', 'x'), 'etcd.key', /not the key of etcd.crt/],
  ])('is refused when %s', async (_, spoil, file, why) => {
    const files = await theirFiles()
    spoil(files)
    for (const act of ['issue', 'pending'] as const) {
      const error = (await pkiWith(files)
        [act]()
        .catch((thrown: unknown) => thrown)) as KubexmError
      expect(error).toMatchObject({ code: 'KX_PKI_EXTERNAL_ETCD', params: { file } })
      expect(error.message).toMatch(why)
      expect(error.message).not.toContain('PRIVATE')
    }
  })

  it.each<[string, Partial<LeafSubject>, RegExp]>([
    ['has ended', { notAfter: new Date(start + 1000) }, /ended on 2026-06-01/],
    ['has not begun', { notBefore: new Date(start + 50 * day) }, /begins on 2026-07-21/],
    ['is for servers', { usages: ['server'] }, /not for clients/],
  ])('is refused when the certificate %s', async (_, changed, why) => {
    await expect(pkiWith(await theirFiles(changed)).pending()).rejects.toThrow(why)
  })

  it('is refused with the key of another certificate', async () => {
    const files = new Map([...(await theirFiles()), ['etcd.key', (await generateKey('ECDSA-P256')).reveal()] as const])
    await expect(pkiWith(files).pending()).rejects.toThrow(/not the key of etcd.crt/)
  })

  it('needs no files without TLS', async () => {
    const pki = pkiWith(new Map(), clusterWith('endpoints: ["http://192.0.2.9:2379"]'))
    await pki.issue()
    await expect(pki.leaf('apiserver-etcd-client', 'node1')).rejects.toMatchObject({ code: 'KX_BUG' })
    await expect(pki.authority('etcd')).rejects.toMatchObject({ code: 'KX_BUG' })
  })
})
