import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { configText } from '../../test/support/config-text.ts'
import { parseCluster } from './parse.ts'
import { SecretSource } from './secret.ts'

const directory = mkdtempSync(join(tmpdir(), 'kubexm-secret-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe('a secret', () => {
  const secret = SecretSource.literal('hunter2')

  it('prints as *** wherever it is printed', () => {
    expect(
      [
        String(secret),
        `${secret}`,
        JSON.stringify({ secret }),
        inspect({ secret }),
        inspect(secret, { showHidden: true, depth: 9 }),
      ].join(),
    ).not.toContain('hunter2')
    expect(JSON.stringify({ secret })).toBe('{"secret":"***"}')
    expect(Object.keys({ ...secret })).not.toContain('value')
  })

  it('gives its value when asked', async () => {
    writeFileSync(join(directory, 'pw'), 'from file\n')
    expect(await secret.resolve()).toBe('hunter2')
    expect(await new SecretSource({ kind: 'env', name: 'X' }).resolve({ env: { X: 'from env' } })).toBe('from env')
    expect(await new SecretSource({ kind: 'file', path: 'pw' }, null, directory).resolve()).toBe('from file')
    expect(
      await new SecretSource({ kind: 'prompt', question: 'Password' }).resolve({ ask: async (question) => `answer to ${question}` }),
    ).toBe('answer to Password')
  })

  it.each<[string, SecretSource, RegExp]>([
    ['an unset variable', new SecretSource({ kind: 'env', name: 'NOT_SET' }), /environment variable NOT_SET/],
    ['a file that is not there', new SecretSource({ kind: 'file', path: '/no/such/file' }), /file \/no\/such\/file/],
    ['nobody to ask', new SecretSource({ kind: 'prompt', question: 'Password' }), /question "Password"/],
    ['only ***', SecretSource.literal('***'), /shows as \*\*\*/],
  ])('says what is missing: %s', async (_, missing, expected) => {
    await expect(missing.resolve({ env: {} })).rejects.toThrow(expected)
    await expect(missing.resolve({ env: {} })).rejects.toMatchObject({ code: 'KX_SECRET_MISSING', exitCode: 10 })
  })
})

it('is found from the directory of the config', async () => {
  writeFileSync(join(directory, 'key'), 'k3y')
  const { cluster } = parseCluster(configText({ 'spec.global': { password: { file: './key' } } }), join(directory, 'cluster.yaml'))
  expect(await cluster?.spec.global.password?.resolve()).toBe('k3y')
})

it.each<[unknown, string]>([
  [{ env: '1X' }, 'KX_CONFIG_FORMAT'],
  [{ environment: 'X' }, 'KX_CONFIG_TYPE'],
  [true, 'KX_CONFIG_TYPE'],
  [[], 'KX_CONFIG_TYPE'],
])('refuses %j and shows none of it', (value, code) => {
  const { errors } = parseCluster(configText({ 'spec.global': { password: value } }), 'c.yaml')
  expect(errors.map((error) => error.code)).toEqual([code])
})
