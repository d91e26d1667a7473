import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configText } from '../../test/support/config-text.ts'
import { suspicious } from './mend.ts'
import { parseCluster } from './parse.ts'
import { configHash, plainCluster, serializeCluster } from './serialize.ts'

const read = (text: string) => {
  const { cluster, errors } = parseCluster(text, 'c.yaml')
  if (cluster === null) throw new Error(errors.map(({ path, problem }) => `${path}: ${problem}`).join('\n'))
  return cluster
}

const secret = fc.oneof(
  fc.record({ env: fc.constantFrom('A', 'B_C') }),
  fc.record({ file: fc.constantFrom('./x', '/y z') }),
  fc.record({ prompt: fc.constantFrom('Password?') }),
  fc.constant('literal'),
)
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const edits = fc.record({
  'spec.kubernetes.type': fc.constantFrom('kubeadm', 'kubexm'),
  'spec.kubernetes.version': fc.constantFrom('v1.29.1', '1.32.4', 'v1.34.0'),
  'spec.kubernetes.featureGates': fc.dictionary(fc.constantFrom('TTLAfterFinished', 'SidecarContainers', 'NoSuchGate'), fc.boolean()),
  'spec.kubernetes.kubelet': optional(
    fc.record({
      extraArgs: fc.dictionary(fc.constantFrom('v', 'root-dir'), fc.string()),
      configuration: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.integer(), fc.string(), fc.array(fc.boolean()))),
    }),
  ),
  'spec.kubernetes.containerRuntime': optional(fc.record({ type: fc.constantFrom('containerd', 'docker', 'crio', 'isula') })),
  'spec.etcd': optional(fc.record({ dataDir: fc.constantFrom('/a', '/var/lib/etcd x'), maxWals: fc.nat(9) })),
  'spec.network.plugin': fc.constantFrom('calico', 'flannel', 'cilium', 'kube-ovn'),
  'spec.network.kubePodsCIDR': fc.constantFrom('10.200.0.0/16', ['10.244.0.0/16'], '10.233.64.9/18'),
  'spec.registry.registryMirrors': fc.constantFrom('a.example.com', ['a', 'b'], []),
  'spec.system.sysctlParams': fc.dictionary(fc.constantFrom('vm.a', 'net.b'), fc.oneof(fc.integer(), fc.boolean(), fc.string())),
  'spec.addons': optional(
    fc.constantFrom(
      ['metallb'],
      [{ name: 'x', chart: { path: './c', values: { a: [1, 'on', null] } } }],
      [{ name: 'y', sources: [{ yaml: { path: ['a.yaml'] } }] }],
    ),
  ),
  'spec.global': fc.record({ password: secret, user: fc.constantFrom('root', 'yes', '123x') }),
  'spec.dns': optional(
    fc.record({
      // Look-alikes are mistakes unless quoted, and this text is not.
      dnsEtcHosts: fc.string({ unit: 'grapheme' }).filter((text) => !suspicious.test(text)),
      coredns: fc.record({ additionalConfigs: fc.constantFrom('log\nerrors\n', '# not a comment', ' |\n x') }),
    }),
  ),
  'spec.extra': optional(
    fc.constantFrom({ hosts: [{ ip: '10.0.0.9', hostnames: ['a', 'b'] }] }, { resolves: { nameservers: ['10.0.0.53'] } }),
  ),
})

describe('round trip', () => {
  it('puts text with look-alikes in quotes, where they are meant', () => {
    const cluster = read(`${configText({})}  dns: {dnsEtcHosts: "10.0.0.9\u3000例子：示例"}\n`)
    expect(cluster.spec.dns.dnsEtcHosts).toContain('：')
    expect(plainCluster(read(serializeCluster(cluster)))).toEqual(plainCluster(cluster))
  })

  it('normalise, serialise, parse gives the same cluster', () => {
    fc.assert(
      fc.property(edits, (some) => {
        const cluster = read(configText(some))
        const again = read(serializeCluster(cluster))
        expect(plainCluster(again)).toEqual(plainCluster(cluster))
        expect(configHash(again)).toBe(configHash(cluster))
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  it.each(readdirSync(new URL('../../examples', import.meta.url)))('%s reads back without a new warning about spelling', (file) => {
    const cluster = read(readFileSync(new URL(`../../examples/${file}`, import.meta.url), 'utf8'))
    const { cluster: again, warnings } = parseCluster(serializeCluster(cluster), 'c.yaml')
    expect(again && plainCluster(again)).toEqual(plainCluster(cluster))
    expect(warnings.map(({ code }) => code).filter((code) => code !== 'KX_CONFIG_INTERNAL_ADDRESS')).toEqual([])
  })
})

describe('secrets', () => {
  const text = (password: unknown) => configText({ 'spec.global': { password } })

  it('are not serialised, only referred to', () => {
    expect(serializeCluster(read(text('hunter2')))).not.toContain('hunter2')
    expect(serializeCluster(read(text('hunter2')))).toContain('password: "***"')
    expect(serializeCluster(read(text({ env: 'PW' })))).toContain('env: PW')
  })

  it('do not enter the hash; everything else does', () => {
    expect(configHash(read(text('one')))).toBe(configHash(read(text('two'))))
    expect(configHash(read(text({ env: 'A' })))).not.toBe(configHash(read(text({ env: 'B' }))))
    expect(configHash(read(configText({ 'spec.kubernetes.maxPods': 111 })))).not.toBe(configHash(read(configText())))
  })

  it('the order of keys does not matter for the hash', () => {
    expect(configHash(read(configText({ 'spec.etcd': { maxWals: 3, maxSnapshots: 4 } })))).toBe(
      configHash(read(configText({ 'spec.etcd': { maxSnapshots: 4, maxWals: 3 } }))),
    )
  })
})
