import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sealingKey } from '../util/sealing.ts'
import { fillReferences } from './fill-references.ts'
import { parseCluster } from './parse.ts'
import { maskConfig, sealConfig } from './sealing.ts'
import type { SecretSource } from './secret.ts'

const key = sealingKey(Buffer.alloc(32, 1))
const otherKey = sealingKey(Buffer.alloc(32, 2))

const config = (host: string, rest = ''): string => `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata:
  name: lab
spec:
  roleGroups: {master: [node1]}
  hosts:
    - name: node1
      address: 172.16.0.2
${indented(host, '      ')}
${indented(rest, '  ')}`

/** Of lines as YAML has them: to a regular expression U+2028 begins one as well, in the middle of a password. */
function indented(text: string, by: string): string {
  return by + text.replaceAll('\n', `\n${by}`)
}

const passwordIn = async (text: string, withKey = key): Promise<string | undefined> => {
  const { cluster, errors } = parseCluster(text, 'c.yaml', { key: withKey })
  expect(errors).toEqual([])
  return await (cluster?.spec.hosts[0]?.password as SecretSource | undefined)?.resolve()
}

describe('a sealed config', () => {
  const shapes: Readonly<Record<string, string>> = {
    plain: 'password: hunter2secret',
    'double quotes': 'password: "hunter2secret"',
    'single quotes': "password: 'hunter2secret'",
    'an anchor used for another secret': 'password: &p hunter2secret\nsudoPassword: *p',
    'an anchor used for something that is no secret': 'password: &p hunter2secret\nlabels: {copy: *p}',
    'a block of text': 'password: |-\n  hunter2secret\nuser: admin',
    'folded text': 'password: >-\n  hunter2secret\n\nuser: admin',
    'a comment that repeats it': '# it is hunter2secret, do not tell\npassword: hunter2secret',
    'a comment behind it': 'password: hunter2secret # the good one',
  }
  it.each(Object.entries(shapes))('hides %s, and opens to the same cluster', async (name, shape) => {
    const text = config(shape)
    const sealed = sealConfig(text, key)
    expect(sealed.includes('hunter2secret')).toBe(name.includes('no secret'))
    expect(await passwordIn(sealed)).toBe('hunter2secret')
    expect(parseCluster(sealed, 'c.yaml', { key }).cluster).toEqual(parseCluster(text, 'c.yaml').cluster)
    expect(maskConfig(sealed)).not.toContain('kxsealed')
  })

  it('opens to any text whatever, and never shows it', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (secret) => {
        fc.pre(secret.isWellFormed() && secret !== '***')
        const sealed = sealConfig(config(`password: ${JSON.stringify(secret)}`), key)
        expect(await passwordIn(sealed)).toBe(secret)
        if (secret.trim().length > 12) expect(sealed).not.toContain(secret.trim())
      }),
      { numRuns: 60 },
    ))

  it('keeps comments, order and everything that is no secret', () => {
    const text = config('password: hunter2secret # why', '# the end')
    expect(maskConfig(sealConfig(text, key))).toBe(text.replace('hunter2secret', '"***"'))
  })

  it('hides what looks like a secret where the schema is open', () => {
    const values = `addons:
  - name: app
    type: helm
    chart:
      repo: https://charts.example
      name: app
      values: {auth: {adminPassword: s3cr3tvalue, replicas: 2}}
  - name: other
    type: helm
    chart: {repo: 'https://charts.example', name: app, values: ['admin.password=s3cr3tvalue', 'replicas=2']}`
    const text = config('user: root', values)
    const sealed = sealConfig(text, key)
    expect(sealed).not.toContain('s3cr3tvalue')
    expect(parseCluster(sealed, 'c.yaml', { key }).cluster).toEqual(parseCluster(text, 'c.yaml').cluster)
  })

  it('keeps a number a number', async () => {
    const sealed = sealConfig(config('password: 12345678'), key)
    expect(sealed).not.toContain('12345678')
    expect(await passwordIn(sealed)).toBe('12345678')
  })

  it('leaves references as they are', () => {
    const text = config('password: {env: NODE_PASSWORD}')
    expect(sealConfig(text, key)).toBe(text)
  })

  it('cannot be used to have another secret opened: what looks sealed when it is sent is sealed once more', async () => {
    const stolen = `kxsealed:v1:${key.seal(JSON.stringify('of somebody else'))}`
    expect(await passwordIn(sealConfig(config(`password: "${stolen}"`), key))).toBe(stolen)
    const elsewhere = sealConfig(config(`annotations: {x: "${stolen}"}`), key)
    expect(parseCluster(elsewhere, 'c.yaml', { key }).cluster?.spec.hosts[0]?.annotations).toEqual({ x: stolen })
  })

  it('does not open with another key, and says so', () => {
    const sealed = sealConfig(config('password: hunter2secret'), key)
    expect(() => parseCluster(sealed, 'c.yaml', { key: otherKey })).toThrow(expect.objectContaining({ code: 'KX_SEAL_KEY' }))
  })
})

describe('a config that is sent to a server', () => {
  const local: Readonly<Record<string, string>> = {
    'a variable': 'password: {env: PATH}',
    'a file': 'password: {file: /etc/shadow}',
    'a question': 'password: {prompt: true}',
    'a login key by path': 'privateKeyPath: ~/.ssh/id_ed25519',
    'the server itself': 'type: local',
  }
  it.each(Object.entries(local))('may not name %s', (_, host) => {
    const { cluster, errors } = parseCluster(config(host), 'c.yaml', { portable: true })
    expect(cluster).toBeNull()
    expect(errors).toMatchObject([{ code: 'KX_CONFIG_NOT_PORTABLE', line: 10 }])
  })

  it('may say where known hosts are kept', () => {
    expect(parseCluster(config('user: root', 'global: {knownHosts: ~/.ssh/known_hosts}'), 'c.yaml', { portable: true }).errors).toEqual([])
  })

  it('is made so by filling references in', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubexm-test-'))
    try {
      await writeFile(join(directory, 'secret'), 'from a file\n')
      await writeFile(join(directory, 'id'), '-----BEGIN KEY-----\nabc\n-----END KEY-----\n')
      process.env.KUBEXM_TEST_SECRET = 'from the environment'
      const text = config('password: {env: KUBEXM_TEST_SECRET} # why\nsudoPassword: {file: secret}\nprivateKeyPath: id\nuser: me')
      const filled = await fillReferences(text, { directory, ask: async () => null })
      const { cluster, errors } = parseCluster(filled, 'c.yaml', { portable: true })
      expect(errors).toEqual([])
      const [host] = cluster?.spec.hosts ?? []
      expect(await host?.password?.resolve()).toBe('from the environment')
      expect(await host?.sudoPassword?.resolve()).toBe('from a file')
      expect(await host?.privateKey?.resolve()).toBe('-----BEGIN KEY-----\nabc\n-----END KEY-----')
      expect(filled).toContain('# why')
    } finally {
      delete process.env.KUBEXM_TEST_SECRET
      await rm(directory, { recursive: true })
    }
  })
})
