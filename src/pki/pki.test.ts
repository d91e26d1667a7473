import { X509Certificate } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { smallCluster } from '../../test/support/clusters.ts'
import type { Cluster } from '../config/index.ts'
import { isKeyOf, isSignedBy, namesIn } from './inspect.ts'
import { createPki, type Pki } from './pki.ts'
import { memoryStore, overlayStore, type PkiStore, type StoredName } from './store.ts'

const day = 86_400_000
const start = Date.UTC(2026, 5, 1)

let files: Map<StoredName, string>
let store: PkiStore
let now: number
beforeEach(() => {
  files = new Map()
  store = memoryStore(files)
  now = start
})

/** The PKI as a new process finds it. */
const opened = (spec = '', over: PkiStore = store): Pki => createPki({ cluster: smallCluster(spec).cluster, store: over, now: () => now })
const certificate = async (of: Promise<{ readonly cert: string }>) => new X509Certificate((await of).cert)
const serialOf = async (pki: Pki) => (await certificate(pki.leaf('apiserver', 'node1'))).serialNumber

describe('issuing', () => {
  it('makes everything once: a second run issues nothing', async () => {
    const first = opened()
    expect(await first.pending()).toEqual(['make the authorities, keys and 12 certificates of the cluster'])
    await first.issue()
    expect(await first.pending()).toEqual([])
    const serial = await serialOf(first)
    const second = opened()
    expect(await second.pending()).toEqual([])
    await second.issue()
    expect(await serialOf(second)).toBe(serial)
  })

  it('gives every certificate the lifetime of the config, and lets it hold on clocks that are behind', async () => {
    const pki = opened('certs: {CADuration: 10d, CertDuration: 2d}')
    const [ca, leaf] = [await certificate(pki.authority('etcd')), await certificate(pki.leaf('etcd-peer', 'node1'))]
    expect(ca.validToDate.getTime()).toBe(start + 10 * day)
    expect(leaf.validToDate.getTime()).toBe(start + 2 * day)
    expect([ca, leaf].map((cert) => cert.validFromDate.getTime())).toEqual([start - 3_600_000, start - 3_600_000])
  })

  it('lets nothing outlive its authority, and does not try again and again', async () => {
    const spec = 'certs: {CADuration: 20d, CertDuration: 30d}'
    await opened(spec).issue()
    expect((await certificate(opened(spec).leaf('apiserver', 'node1'))).validToDate.getTime()).toBe(start + 20 * day)
    now = start + 19 * day
    expect(await opened(spec).pending()).toEqual([])
  })

  it('makes what is asked for on the spot, once, however many ask', async () => {
    const pki = opened()
    const [one, ...others] = await Promise.all(Array.from({ length: 8 }, () => serialOf(pki)))
    expect(new Set(others)).toEqual(new Set([one]))
    expect(await serialOf(opened())).toBe(one)
  })

  it('makes keys of the kind the config names', async () => {
    const pki = opened('certs: {keyAlgorithm: RSA-2048}')
    const { publicKey } = await certificate(pki.leaf('front-proxy-client', 'node1'))
    expect(publicKey.asymmetricKeyType).toBe('rsa')
    expect((await certificate(pki.authority('front-proxy'))).publicKey.asymmetricKeyType).toBe('rsa')
  })
})

describe('issuing again', () => {
  const changes: readonly {
    readonly when: string
    readonly spec?: string
    readonly later?: number
    readonly says: string
    readonly act?: () => unknown
  }[] = [
    { when: 'a name is added', spec: 'kubernetes: {apiserverCertExtraSans: [new.example]}', says: 'its names differ: +new.example' },
    {
      when: 'the domain changes',
      spec: 'controlPlaneEndpoint: {domain: new.example}',
      says: 'its names differ: +new.example -lb.kubexm.local',
    },
    { when: 'the kind of keys changes', spec: 'certs: {keyAlgorithm: RSA-2048}', says: 'its key is not RSA-2048' },
    { when: 'its end is near', later: 340 * day, says: 'it ends on 2027-06-01' },
    { when: 'it has ended', later: 366 * day, says: 'it ended on 2027-06-01' },
    { when: 'its key is gone', says: 'it is missing', act: () => files.delete('kubernetes/hosts/node1/apiserver.key') },
    {
      when: 'it was cut off half-way',
      says: 'its key belongs to another',
      act: () => files.set('kubernetes/hosts/node1/apiserver.key', files.get('kubernetes/sa.key') ?? ''),
    },
    { when: 'it is damaged', says: 'it cannot be read', act: () => files.set('kubernetes/hosts/node1/apiserver.crt', 'x') },
  ]

  it.each(changes)('happens when $when, by the same authority', async ({ spec = '', later = 0, says, act }) => {
    const before = opened()
    await before.issue()
    const [serial, authority] = [await serialOf(before), (await before.authority('kubernetes')).cert]
    now += later
    act?.()
    const after = opened(spec)
    expect(await after.pending()).toContain(`issue apiserver of node1: ${says}`)
    await after.issue()
    expect(await after.pending()).toEqual([])
    expect(await serialOf(after)).not.toBe(serial)
    expect((await after.authority('kubernetes')).cert).toBe(authority)
    const { cert, key } = await after.leaf('apiserver', 'node1')
    const read = new X509Certificate(cert)
    expect(isSignedBy(read, new X509Certificate(authority)) && isKeyOf(read, key.reveal())).toBe(true)
  })

  it('leaves others alone', async () => {
    await opened().issue()
    const other = (await opened().leaf('front-proxy-client', 'node1')).cert
    const pki = opened('kubernetes: {apiserverCertExtraSans: [new.example]}')
    expect(await pki.pending()).toEqual(['issue apiserver of node1: its names differ: +new.example'])
    await pki.issue()
    expect((await pki.leaf('front-proxy-client', 'node1')).cert).toBe(other)
    expect(namesIn(await certificate(pki.leaf('apiserver', 'node1')))).toContain('new.example')
  })

  it('follows an authority the user puts in place', async () => {
    const [ours, theirs] = [opened(), createPki({ cluster: smallCluster().cluster, store: memoryStore(), now: () => now })]
    await ours.issue()
    const brought = await theirs.authority('kubernetes')
    await store.write('kubernetes/ca.crt', brought.cert)
    await store.write('kubernetes/ca.key', brought.key?.reveal() ?? '')
    const pki = opened()
    expect(await pki.pending()).toContain('issue apiserver of node1: another authority signed it')
    await pki.issue()
    expect(isSignedBy(await certificate(pki.leaf('apiserver', 'node1')), new X509Certificate(brought.cert))).toBe(true)
  })
})

describe('an authority', () => {
  const put = (name: string, from: string) => files.set(`kubernetes/${name}`, files.get(`kubernetes/${from}`) ?? '')

  it.each([
    { when: 'its key is gone', act: () => files.delete('kubernetes/ca.key'), code: 'KX_PKI_AUTHORITY_KEY' },
    { when: 'its key is that of another', act: () => put('ca.key', 'front-proxy-ca.key'), code: 'KX_PKI_AUTHORITY_KEY' },
    { when: 'its certificate is none', act: () => put('ca.crt', 'sa.key'), code: 'KX_PKI_NOT_AUTHORITY' },
    { when: 'its certificate may not sign', act: () => put('ca.crt', 'hosts/node1/apiserver.crt'), code: 'KX_PKI_NOT_AUTHORITY' },
  ])('is never replaced, not even when $when', async ({ act, code }) => {
    await opened().issue()
    act()
    await expect(opened().issue()).rejects.toMatchObject({ code })
    await expect(opened().pending()).rejects.toMatchObject({ code })
  })

  it('that has ended is told, with its day', async () => {
    const spec = 'certs: {CADuration: 100d, CertDuration: 10d}'
    await opened(spec).issue()
    now += 101 * day
    await expect(opened(spec).issue()).rejects.toMatchObject({ code: 'KX_PKI_AUTHORITY_ENDED', params: { when: '2026-09-09' } })
  })

  it('is finished with the key that a process left that was cut off', async () => {
    await opened().issue()
    const key = files.get('etcd/ca.key')
    files.delete('etcd/ca.crt')
    const made = await opened().authority('etcd')
    expect(made.key?.reveal()).toBe(key)
    expect(isKeyOf(new X509Certificate(made.cert), key ?? '')).toBe(true)
  })
})

describe('keys without certificates', () => {
  it('of service accounts are made once and fit together', async () => {
    const { publicKey, key } = await opened().serviceAccount()
    expect((await opened().serviceAccount()).key.reveal()).toBe(key.reveal())
    expect(publicKey).toContain('BEGIN PUBLIC KEY')
  })

  it('for encryption at rest are 32 bytes, kept with the PKI where the config asks for encryption and names none', async () => {
    await opened().issue()
    expect(await store.read('kubernetes/encryption.key')).toBeNull()
    const spec = 'kubernetes: {apiServer: {encryption: {enabled: true}}}'
    expect(await opened(spec).pending()).toEqual(['make the key for encryption at rest'])
    await opened(spec).issue()
    const kept = await opened(spec).encryptionKey()
    expect(Buffer.from(kept.reveal(), 'base64')).toHaveLength(32)
    expect(await store.read('kubernetes/encryption.key')).toBe(kept.reveal())
    expect(await opened('kubernetes: {apiServer: {encryption: {enabled: true, encryptionKey: {env: K}}}}').pending()).toEqual([])
  })
})

describe('passwords between programs', () => {
  it.each([
    ['registry', /^[\w-]{32}$/],
    ['vrrp', /^[\w-]{8}$/],
  ] as const)('of %s are made once, of characters that mean nothing special', async (of, form) => {
    const password = (await opened().password(of)).reveal()
    expect(password).toMatch(form)
    expect((await opened().password(of)).reveal()).toBe(password)
  })
})

describe('kubeconfigs', () => {
  it('hold all kubectl needs', async () => {
    const pki = opened('kubernetes: {type: kubexm}')
    const { client, text } = await pki.kubeconfig('kubelet', 'node2')
    const config = parse(text.reveal()) as Readonly<Record<string, unknown>>
    expect(config).toMatchObject({ kind: 'Config', 'current-context': 'system:node:node2@test' })
    expect(config).toHaveProperty('clusters.0.cluster.server', 'https://lb.kubexm.local:6443')
    expect(config).toHaveProperty('clusters.0.cluster.certificate-authority-data', base64((await pki.authority('kubernetes')).cert))
    expect(config).toHaveProperty('users.0.user.client-key-data', base64(client.key.reveal()))
    expect(config).toHaveProperty('contexts.0.context', { cluster: 'test', user: 'system:node:node2' })
    expect(`${text}`).toBe('***')
  })

  it('go where the caller says', async () => {
    const { text } = await opened().kubeconfig('admin', 'local', 'https://api.example:8443')
    expect(parse(text.reveal())).toHaveProperty('clusters.0.cluster.server', 'https://api.example:8443')
  })

  it('of joiners live two hours, are the same for one, and are kept nowhere', async () => {
    const pki = opened()
    const { client } = await pki.kubeconfig('joiner', 'node2')
    const cert = new X509Certificate(client.cert)
    expect(cert.validToDate.getTime()).toBe(start + 2 * 3_600_000)
    expect(cert.subject).toBe('O=system:bootstrappers:kubeadm:default-node-token\nCN=kubexm:joiner')
    now += 59 * 60_000
    expect((await pki.kubeconfig('joiner', 'node2')).client.cert).toBe(client.cert)
    now += 2 * 60_000
    expect((await pki.kubeconfig('joiner', 'node2')).client.cert).not.toBe(client.cert)
    expect(await store.read('kubernetes/hosts/node2/joiner.key')).toBeNull()
  })

  const base64 = (text: string) => Buffer.from(text).toString('base64')
})

describe('what nobody may have', () => {
  it.each([
    ['a certificate of the API server on a worker', (pki: Pki) => pki.leaf('apiserver', 'node2')],
    ['a certificate of a foreign host', (pki: Pki) => pki.leaf('apiserver', 'node9')],
    ['a certificate of a stacked etcd without one', (pki: Pki) => pki.leaf('stacked-etcd-server', 'node1')],
    ['a kubeconfig that kubeadm makes', (pki: Pki) => pki.kubeconfig('scheduler', 'node1')],
    ['a kubelet on this machine', (pki: Pki) => pki.kubeconfig('kubelet', 'local')],
  ])('%s is a mistake of ours', async (_, ask) => {
    await expect(ask(opened())).rejects.toMatchObject({ code: 'KX_BUG' })
  })
})

describe('looking without changing', () => {
  it('issues into memory over what is kept', async () => {
    await opened().issue()
    const over = opened('kubernetes: {apiserverCertExtraSans: [new.example]}', overlayStore(store))
    expect(namesIn(await certificate(over.leaf('apiserver', 'node1')))).toContain('new.example')
    expect((await over.authority('etcd')).cert).toBe((await opened().authority('etcd')).cert)
    expect(await opened().pending()).toEqual([])
  })

  it('tells of every certificate until when it holds', async () => {
    await opened().issue()
    const states = await opened().certificates()
    expect(states).toHaveLength(15)
    expect(states.find(({ what }) => what === 'apiserver of node1')).toEqual({
      what: 'apiserver of node1',
      host: 'node1',
      notAfter: new Date(start + 365 * day),
      fault: null,
    })
  })
})

it('forgets everything when it is told to', async () => {
  const pki = opened()
  await pki.issue()
  const before = (await pki.authority('kubernetes')).cert
  expect(await pki.exists()).toBe(true)
  await pki.destroy()
  expect(await pki.exists()).toBe(false)
  expect((await pki.authority('kubernetes')).cert).not.toBe(before)
})

it('needs no cluster until it is asked', () => {
  expect(() => createPki({ cluster: {} as Cluster, store })).not.toThrow()
})
