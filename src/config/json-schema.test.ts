import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configText } from '../../test/support/config-text.ts'
import { jsonSchema } from './json-schema.ts'
import { parseCluster } from './parse.ts'

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(jsonSchema() as object)
const accepts = (text: string): boolean => validate(parse(text))
const directory = new URL('../../examples/', import.meta.url)

describe('the JSON Schema, in a validator that is not ours', () => {
  it.each(readdirSync(directory))('accepts %s', (file) => {
    const isValid = accepts(readFileSync(new URL(file, directory), 'utf8'))
    expect(isValid ? [] : validate.errors).toEqual([])
  })

  it.each<[string, Record<string, unknown>]>([
    ['an unknown key', { 'spec.kubernetes.verison': 'v1.32.4' }],
    ['an unknown key in a list', { 'spec.hosts': [{ name: 'a', address: '10.0.0.1', prot: 22 }] }],
    ['an unknown key beside an old spelling', { 'spec.loadBalancer': { vipp: '10.0.0.1' } }],
    ['a word that is no choice', { 'spec.network.plugin': 'calcio' }],
    ['a text for a number', { 'spec.controlPlaneEndpoint.port': '6443' }],
    ['a number out of bounds', { 'spec.kubernetes.maxPods': 0 }],
    ['a fraction', { 'spec.kubernetes.maxPods': 1.5 }],
    ['a version of two numbers', { 'spec.kubernetes.version': 'v1.32' }],
    ['a relative path', { 'spec.etcd.dataDir': 'var/lib' }],
    ['a name with capitals', { 'metadata.name': 'Bad' }],
    ['no address', { 'spec.hosts': [{ name: 'a' }] }],
    ['no hosts', { 'spec.hosts': [] }],
    ['another kind', { kind: 'Node' }],
    ['a misspelt secret reference', { 'spec.global': { password: { environment: 'X' } } }],
  ])('refuses %s, as kubexm does', (_, edits) => {
    expect(accepts(configText(edits))).toBe(false)
    expect(parseCluster(configText(edits), 'c.yaml').cluster).toBeNull()
  })

  it.each<[string, Record<string, unknown>]>([
    [
      'other spellings',
      { 'spec.network.podCidr': '10.233.64.0/18', 'spec.kubernetes.kubeletArgs': ['--v=4'], 'spec.etcd.performance': { maxWals: 3 } },
    ],
    ['other words', { apiVersion: 'kubexms.io/v1alpha1', 'spec.kubernetes.containerRuntime': { type: 'isula' } }],
    [
      'other shapes',
      {
        'spec.extra': { hosts: [{ ip: '10.0.0.9', hostnames: ['a'] }], resolves: { nameservers: ['10.0.0.53'] } },
        'spec.addons': ['metallb', { name: 'x', sources: [{ yaml: { path: ['a'] } }] }],
      },
    ],
    ['one value or several', { 'spec.registry.registryMirrors': 'a', 'spec.network.kubePodsCIDR': ['10.233.64.0/18'] }],
    [
      'every kind of secret',
      { 'spec.global': { password: { env: 'X' }, sudoPassword: { prompt: true }, privateKey: { file: '~/.ssh/id' } } },
    ],
  ])('accepts %s, as kubexm does', (_, edits) => {
    expect(accepts(configText(edits)) ? [] : validate.errors).toEqual([])
    expect(parseCluster(configText(edits), 'c.yaml').errors).toEqual([])
  })

  it('names its draft and marks other spellings', () => {
    expect(jsonSchema().$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(jsonSchema().properties?.spec?.properties?.network?.properties?.podCidr).toMatchObject({ deprecated: true })
  })
})
