// The search for told secrets is tried here: what tells one must be found, whatever form it has.
import { generateKeyPairSync } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { recordsIn, secretsOf, tellings } from '../support/secrets.ts'

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const hostKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

async function write(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), text)
  }
}

const scene = (use: (directory: string, told: (files: Readonly<Record<string, string>>) => Promise<readonly string[]>) => Promise<void>) =>
  inTemporaryDirectory(async (directory) => {
    await write(directory, {
      '.kubexm/c/certs/kubernetes/ca.key': key,
      '.kubexm/c/certs/kubernetes/ca.crt': 'everybody may read this, however long it is',
      '.kubexm/c/certs/kubernetes/registry.password': 'kI8-sesame_0815',
      'cluster.yaml': `spec: {global: {privateKeyPath: ${join(directory, 'id')}, sudoPassword: open-sesame}}`,
      id: hostKey,
    })
    await use(directory, async (files) => {
      await write(directory, files)
      return tellings(await secretsOf(directory, 'c', join(directory, 'cluster.yaml')), await recordsIn(directory))
    })
  })

describe('told secrets', () => {
  it('are all those of certificates and config', () =>
    scene(async (directory) => {
      expect(Object.keys(await secretsOf(directory, 'c', join(directory, 'cluster.yaml'))).sort()).toEqual([
        'config.spec.global.privateKeyPath',
        'config.spec.global.sudoPassword',
        'kubernetes/ca.key',
        'kubernetes/registry.password',
      ])
    }))

  it('are none where they lie in their own places, or nobody told them', () =>
    scene(async (_, told) => {
      const files = {
        '.kubexm/c/kubeconfig': key,
        '.kubexm/c/journal.key': key,
        '.kubexm/c/images/a.tar': key,
        '.kubexm/c/state.jsonl': '{}',
      }
      expect(await told(files)).toEqual([])
    }))

  const line = key.split('\n')[1] ?? ''
  const coded = Buffer.from(`${key}`).toString('base64')
  it.each<[string, string, string, RegExp]>([
    ['a line of a key in the journal', '.kubexm/c/state.jsonl', `{"a":"${line}"}`, /state\.jsonl tells kubernetes\/ca\.key/],
    ['a key in a kubeconfig', '.kubexm/c/state.jsonl.previous', `x: ${coded}`, /tells kubernetes\/ca\.key/],
    ['a password in the database', '.kubexm/jobs.db', `\0kI8-sesame_0815\0`, /jobs\.db tells kubernetes\/registry\.password/],
    ['the password of sudo', '.kubexm/c/hosts/node1/log', 'open-sesame', /tells config\.spec\.global\.sudoPassword/],
    ['a key of nobody knows whom', '.kubexm/c/state.jsonl', '-----BEGIN EC PRIVATE KEY-----', /something like/],
    ['a token to join', '.kubexm/c/state.jsonl', 'kubeadm join --token abcdef.0123456789abcdef', /something like/],
  ])('are found: %s', (_, file, text, found) =>
    scene(async (_directory, told) => {
      expect(await told({ [file]: text })).toEqual([expect.stringMatching(found)])
    }),
  )
})
