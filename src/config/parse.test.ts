import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { configText } from '../../test/support/config-text.ts'
import { parseCluster } from './parse.ts'
import { renderProblem } from './problem.ts'

const seed = readFileSync(new URL('../../test/golden/config/seed-as-it-stands.yaml', import.meta.url), 'utf8')
const short = (text: string) => {
  const { errors, warnings } = parseCluster(text, 'c.yaml')
  const line = ({ line, col, code }: (typeof errors)[number]) => `${line}:${col} ${code}`
  return { errors: errors.map(line), warnings: warnings.map(line) }
}

describe('a file with many mistakes', () => {
  const text = [
    'apiVersion: kubexm.mensylisir.io/v1alpha1', // 1
    'kind: Cluster',
    'metadata:',
    '  name: Bad_Name', // 4 format
    'spec:',
    '  hosts:',
    '  - {name: node1, address: 172.16.0.2, prot: 22}', // 7 unknown key
    '  - {name: node2, address: 172.16.0.300}', // 8 no address
    '  - {name: node3, address: 172.16.0.2}', // 9 duplicate
    '  - name: node4',
    '    address: 172.16.0.5',
    '\tport: 22', // 12 tab
    '  roleGroups:',
    '    master: [node1, node3]', // two masters: load balancer needed
    '    worker: [node9]', // 15 no such host
    '    worker: [node2]', // 16 duplicate key
    '  controlPlaneEndpoint:', // 17
    '    port: "6443"', // 18 type
    '    domain： lb.local', // 19 look-alike
    '  kubernetes:',
    '    type: kubeadmn', // 21 enum
    '    version: v1.32', // 22 format
    '    autoRenewCerts: yes', // 23 type
    '    maxPods: 0', // 24 bounds
    '  etcd:',
    '    electionTimeout:100', // 26 no space
    '  network:',
    '    kubePodsCIDR: 10.233.0.0/18',
    '    kubeServiceCIDR: 10.233.0.0/18', // 29 overlap
    '    calico: {ipipMode: Always, vxlanMode: Always}', // 30
    '    plugin: calico',
  ].join('\n')

  it('lists all of them at once, in the order of the file', () => {
    expect(short(text).errors).toEqual([
      '4:9 KX_CONFIG_FORMAT',
      '7:40 KX_CONFIG_UNKNOWN_KEY',
      '8:28 KX_CONFIG_FORMAT',
      '9:28 KX_CONFIG_HOST_DUPLICATE',
      '12:1 KX_CONFIG_TAB',
      '15:14 KX_CONFIG_NO_SUCH_HOST',
      '16:5 KX_CONFIG_DUPLICATE_KEY',
      '17:3 KX_CONFIG_LB_NEEDED',
      '18:11 KX_CONFIG_TYPE',
      '19:11 KX_CONFIG_LOOKALIKE',
      '21:11 KX_CONFIG_ENUM',
      '22:14 KX_CONFIG_FORMAT',
      '23:21 KX_CONFIG_TYPE',
      '24:14 KX_CONFIG_NUMBER',
      '26:5 KX_CONFIG_NO_SPACE',
      '29:22 KX_CONFIG_CIDR_OVERLAP',
      '30:43 KX_CONFIG_CALICO_MODE',
    ])
  })

  it('says what to write instead', () => {
    const fixes = Object.fromEntries(parseCluster(text, 'c.yaml').errors.map(({ line, fix }) => [line, fix]))
    expect(fixes).toMatchObject({
      7: 'did you mean port?',
      18: 'write 6443 without quotation marks or leading zeros',
      21: 'write kubeadm',
      23: 'write true',
      26: 'write electionTimeout: 100',
    })
  })
})

describe('the example of the specification', () => {
  it('names the full-width colons and the missing host, and nothing else', () => {
    expect(short(seed).errors).toEqual([
      '34:7 KX_CONFIG_NO_SUCH_HOST',
      '91:14 KX_CONFIG_LOOKALIKE',
      '92:17 KX_CONFIG_LOOKALIKE',
      '93:16 KX_CONFIG_LOOKALIKE',
    ])
    const { errors } = parseCluster(seed, 'cluster.yaml')
    expect(errors.map((error) => renderProblem(error)).join('\n')).toContain(
      [
        '✗ KX_CONFIG_NO_SUCH_HOST  cluster.yaml:34:7  spec.roleGroups.worker[1]: node[8:10] names node9, which is not in spec.hosts',
        '    34 │     - node[8:10] # All the nodes in your cluster that serve as the worker nodes.',
        '       │       ^^^^^^^^^^',
        '  Fix: add node9 to spec.hosts, or write node8, node10',
        '✗ KX_CONFIG_LOOKALIKE  cluster.yaml:91:14  a full-width colon "：" (U+FF1A) stands where ":" belongs',
      ].join('\n'),
    )
  })

  it('is valid once mended, with warnings for what is doubtful', () => {
    const mended = seed.replaceAll('：', ':').replace('- node[8:10]', '- node8\n    - node10')
    const { cluster, errors, warnings } = parseCluster(mended, 'c.yaml')
    expect(errors).toEqual([])
    expect(new Set(warnings.map(({ code }) => code))).toEqual(
      new Set([
        'KX_CONFIG_LITERAL_SECRET',
        'KX_CONFIG_INTERNAL_ADDRESS',
        'KX_CONFIG_SPELLING',
        'KX_CONFIG_ALTERNATIVES',
        'KX_CONFIG_NO_VIP',
        'KX_CONFIG_FEATURE_GATE',
        'KX_CONFIG_PLACEHOLDER',
      ]),
    )
    expect(cluster?.spec.kubernetes.featureGates).toEqual({ RotateKubeletServerCertificate: true })
    expect(cluster?.spec.kubernetes.containerRuntime).toMatchObject({
      type: 'containerd',
      version: '1.7.6',
      containerd: { registryMirrors: ['aliyun.com'], insecureRegistries: ['aaa.com'] },
    })
    expect(cluster?.spec.controlPlaneEndpoint).toMatchObject({ externalLoadBalancer: 'kubexm-kh', internalLoadbalancer: 'haproxy' })
    expect(cluster?.spec.registry.type).toBe('registry')
    expect(cluster?.spec.addons.map(({ name, type }) => `${type}:${name}`)).toEqual(['builtin:metallb', 'builtin:longhorn'])
  })

  it('shows no password, neither in a line nor in a value', () => {
    const broken = seed.replaceAll('user: ubuntu', 'usr: ubuntu').replace('port: 8022', 'port: eight')
    const { errors, warnings } = parseCluster(broken, 'c.yaml')
    expect(errors.length).toBeGreaterThan(4)
    expect(JSON.stringify([errors, warnings]) + errors.map((error) => renderProblem(error)).join('')).not.toContain('Qcloud')
  })
})

it('points at the right column of a line with a secret in it', () => {
  const text = configText().replace(
    '- name: node1',
    '- {password: a-long-password, prot: 1, name: node1, address: 172.16.0.2}\n    - name: node9',
  )
  const [error] = parseCluster(text, 'c.yaml').errors.filter(({ code }) => code === 'KX_CONFIG_UNKNOWN_KEY')
  expect(error && renderProblem(error).split('\n').slice(1, 3)).toEqual([
    '     7 │     - {password: ***            , prot: 1, name: node1, address: 172.16.0.2}',
    '       │                                   ^^^^',
  ])
})

describe('the file as a whole', () => {
  const valid = configText()
  it.each([
    ['nothing', '', '1:1 KX_CONFIG_NOT_A_MAP'],
    ['a comment', '# to do\n', '1:1 KX_CONFIG_NOT_A_MAP'],
    ['a list', '- a\n', '1:1 KX_CONFIG_NOT_A_MAP'],
    ['a text', 'hello', '1:1 KX_CONFIG_NOT_A_MAP'],
    ['another kind', configText({ kind: 'Node' }), '2:7 KX_CONFIG_ENUM'],
    ['another tool', configText({ apiVersion: 'kubekey.kubesphere.io/v1alpha2' }), '1:13 KX_CONFIG_API_VERSION'],
    ['two documents', `${valid}---\n${valid}`, '26:1 KX_CONFIG_DOCUMENTS'],
    ['an open quotation mark', valid.replace('name: test', 'name: "test'), '4:9 KX_CONFIG_SYNTAX'],
    ['an unknown alias', valid.replace('name: test', 'name: *x'), '4:9 KX_CONFIG_ALIAS_UNKNOWN'],
    ['a prototype', `${valid}__proto__: {x: 1}\n`, '26:1 KX_CONFIG_SYNTAX'],
    ['no name', configText({ metadata: {} }), '3:1 KX_CONFIG_MISSING'],
    ['no hosts', configText({ 'spec.hosts': [] }), '6:10 KX_CONFIG_NUMBER'],
    ['an empty field that is needed', valid.replace('name: test', 'name:'), '4:3 KX_CONFIG_MISSING'],
  ])('%s', (_, text, expected) => expect(short(text).errors[0]).toBe(expected))

  it('takes an empty field for one that is not given', () => {
    expect(parseCluster(`${configText()}  network:\n    calico:\n  addons:\n`, 'c.yaml').errors).toEqual([])
  })

  it('understands anchors, aliases and merge keys', () => {
    const text = configText({ 'spec.hosts': undefined, 'spec.roleGroups': { master: ['a'], worker: ['b'] } }).replace(
      'spec:\n',
      'spec:\n  hosts:\n  - &base {name: a, address: 10.0.0.1, user: ops, port: 2222}\n  - {<<: *base, name: b, address: 10.0.0.2}\n',
    )
    const { cluster, errors } = parseCluster(text, 'c.yaml')
    expect(errors).toEqual([])
    expect(cluster?.spec.hosts[1]).toMatchObject({ name: 'b', user: 'ops', port: 2222 })
  })

  it('reads versions as they are written, not as numbers', () => {
    const { errors } = parseCluster(configText().replace('version: v1.32.4', 'version: 1.30'), 'c.yaml')
    expect(errors.map(({ seen, code }) => [code, seen])).toEqual([['KX_CONFIG_FORMAT', '1.30']])
  })

  it('is frozen when it is valid', () => {
    const { cluster } = parseCluster(configText(), 'c.yaml')
    expect(() => Object.assign(cluster?.spec.hosts[0] ?? {}, { name: 'x' })).toThrow(TypeError)
  })
})
