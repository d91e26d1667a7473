import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderConfigDocs } from './docs.ts'
import { explain } from './explain.ts'
import { codeOutsideConfig, findUnused, isRead, renderUnusedFields, unreadFields } from './field-use.ts'
import { allFields } from './fields.ts'

const root = new URL('../../', import.meta.url).pathname
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8')

describe('the documentation of fields', () => {
  it('has a sentence, an example and a version for every field', () => {
    const undocumented = allFields().filter(
      ({ isGroup, about, example, since }) => !/\S.*\.$/.test(about) || (!isGroup && example === undefined) || since === '',
    )
    expect(undocumented.map(({ path }) => path)).toEqual([])
  })

  it('is fresh: run "npm run docs" after changing the schema or the code that reads it', () => {
    const unused = findUnused(codeOutsideConfig(`${root}src`))
    expect(read('src/config/unused-fields.ts')).toBe(renderUnusedFields(unused))
    expect(read('docs/config.md')).toBe(renderConfigDocs(unused))
  })
})

describe('whether a field is read', () => {
  const isShared = (leaf: string): boolean => ['dir', 'version', 'port'].includes(leaf)
  it.each<[string, string, boolean]>([
    ['spec.etcd.backup.dir', 'const x = spec.etcd.backup.dir', true],
    ['spec.etcd.backup.dir', 'const { dir } = cluster.spec.etcd.backup', true],
    ['spec.etcd.backup.dir', '({ backup: { dir, keepNumber } }) => dir', true],
    ['spec.etcd.backup.dir', 'const { dir } = options; etcd.start()', false],
    ['spec.etcd.backup.dir', '// reads spec.etcd.backup.dir through the template', true],
    ['spec.etcd.backup.dir', '// reads spec.etcd.backup.directory', false],
    ['spec.hosts[].port', 'connect(host.port)', true],
    ['spec.hosts[].port', 'connect(server.port)', false],
    ['spec.etcd.heartbeatInterval', 'etcdUnit({ heartbeat: settings.heartbeatInterval }) // etcd', true],
    ['spec.etcd.heartbeatInterval', 'settings.heartbeatInterval', false],
    ['spec.kubernetes.containerRuntime.isulad.data-root', "isulad['data-root']", true],
  ])('%s in "%s": %s', (path, code, expected) => expect(isRead(path, code, isShared)).toBe(expected))

  it('lists a group nobody reads as one', () => {
    expect(unreadFields(['spec.a.b.x', 'spec.a.b.y', 'spec.a.z'], ['a.z'])).toEqual(['spec.a.b.*'])
    expect(unreadFields(['spec.a.b.x', 'spec.a.b.y'], ['b.x'])).toEqual(['spec.a.b.y'])
  })
})

describe('explain', () => {
  it('shows type, default, sentence and example of a field', () => {
    expect(explain('spec.etcd.type')).toMatch(
      /FIELD: {4}spec\.etcd\.type <kubexm \| kubeadm \| external>\nDEFAULT: {2}kubexm\n[\s\S]*Who runs etcd[\s\S]*EXAMPLE:\n {2}type: kubexm/,
    )
  })

  it('shows the fields of a group, through lists and maps', () => {
    expect(explain('spec.hosts')).toContain('  address <text> -required-\n    Address SSH connects to.')
    expect(explain('spec.hosts[0].address')).toContain('FIELD:    spec.hosts.address <text>')
    expect(explain('spec.registry.auths')).toContain('plainHTTP')
    expect(explain('')).toContain('spec <group> -required-')
  })

  it('leads from another spelling to the canonical one', () =>
    expect(explain('spec.network.podCidr')).toContain('(spec.network.podCidr is another spelling of it)'))

  it.each([
    ['spec.etcd.tpye', /spec\.etcd has no field tpye; did you mean type\?/],
    ['heartbeatInterval', /there is spec\.etcd\.heartbeatInterval/],
    ['spec.nothing.here', /spec has no field nothing/],
  ])('refuses %s', (path, expected) => expect(() => explain(path)).toThrow(expected))
})
