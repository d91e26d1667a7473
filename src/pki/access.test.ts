import { describe, expect, it } from 'vitest'
import { smallCluster } from '../../test/support/clusters.ts'
import { Redactor } from '../event/redact.ts'
import { Secret } from '../util/secret.ts'
import { pkiAccess } from './access.ts'
import { createPki } from './pki.ts'
import { memoryStore } from './store.ts'

const encrypted = (key: string) => `kubernetes: {type: kubexm, apiServer: {encryption: {enabled: true${key}}}}`

function accessTo(spec: string, given = '') {
  const { cluster } = smallCluster(spec)
  const redactor = new Redactor()
  const reveal = async () => new Secret(given)
  return {
    redactor,
    pki: pkiAccess(createPki({ cluster, store: memoryStore() }), { cluster, onSecret: (value) => redactor.add(value), reveal }),
  }
}

describe('secrets of the PKI', () => {
  it('are redacted from the moment a step has them, line by line and inside a kubeconfig', async () => {
    const { redactor, pki } = accessTo(encrypted(''))
    const secrets = [
      (await pki.authority('kubernetes')).key,
      (await pki.serviceAccount()).key,
      (await pki.leaf('apiserver', 'node1')).key,
      await pki.encryptionKey(),
    ].map((secret) => secret?.reveal() ?? '')
    const kubeconfig = (await pki.kubeconfig('admin', 'local')).reveal()
    for (const text of secrets) {
      for (const line of text.split('\n').filter((one) => one.length > 20 && !one.startsWith('-----'))) {
        expect(redactor.text(`cat: ${line}`)).toBe('cat: ***')
      }
      expect(redactor.text(Buffer.from(text).toString('base64'))).not.toContain(Buffer.from(text).toString('base64').slice(40, 80))
    }
    const data = /client-key-data: (\S+)/.exec(kubeconfig)?.[1] ?? ''
    expect(data.length).toBeGreaterThan(100)
    // Without its name, by the value alone.
    expect(redactor.text(`seen ${data}`)).toBe('seen ***')
  })

  it('do not blot out what every kubeconfig says', async () => {
    const { redactor, pki } = accessTo('')
    const kubeconfig = (await pki.kubeconfig('admin', 'local')).reveal()
    for (const line of ['apiVersion: v1', 'kind: Config', /certificate-authority-data: \S+/.exec(kubeconfig)?.[0] ?? '']) {
      expect(redactor.text(line)).toBe(line)
    }
  })

  it('include the key the config names, which must be one', async () => {
    const spec = encrypted(', encryptionKey: {env: KEY}')
    const good = Buffer.alloc(32, 7).toString('base64')
    const { redactor, pki } = accessTo(spec, good)
    expect((await pki.encryptionKey()).reveal()).toBe(good)
    expect(redactor.text(good)).toBe('***')
    for (const bad of ['c2hvcnQ=', '', `${good}AAAA`]) {
      await expect(accessTo(spec, bad).pki.encryptionKey()).rejects.toMatchObject({ code: 'KX_PKI_ENCRYPTION_KEY' })
    }
  })
})
