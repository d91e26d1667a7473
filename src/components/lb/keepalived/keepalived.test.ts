import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { balanced, firstOf } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { defineModule } from '../../../module/define.ts'
import { definePipeline } from '../../../pipeline/define.ts'
import { keepalived } from './index.ts'
import { checkScript, type KeepalivedSettings, keepalivedConf } from './templates.ts'

const endpoint = 'externalLoadBalancer: kubexm-kh, lb_address: 192.0.2.100'
const scenario = balanced(`{${endpoint}}`, 'loadbalancer')
const conf = '/etc/keepalived/keepalived.conf'

conforms(keepalived, { ...firstOf(balanced(`{${endpoint}, keepalived: {authPass: do-not}}`, 'loadbalancer')), secrets: ['do-not'] })
// One that somebody else runs there gets its own file back, and goes on as it was.
conforms(keepalived, {
  ...firstOf(scenario),
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      await on.packages.install(['keepalived'])
      await on.files.write(conf, 'vrrp_instance theirs {\n}\n', { mode: '0640' })
      await on.services.enable('keepalived')
      await on.services.restart('keepalived')
    }),
})

const settings: KeepalivedSettings = {
  routerId: 'node5',
  interface: 'eth0',
  virtualRouterId: 51,
  virtualAddress: '192.0.2.100',
  rank: 0,
  advertInt: 1,
  preempt: true,
  unicast: { from: '192.0.2.5', to: ['192.0.2.6', '192.0.2.7'] },
  password: 'secret12',
  checkScript: '/etc/keepalived/check-load-balancer',
  scriptUser: 'keepalived_script',
  extra: [],
}

const given = (text: string | null, key: string): string | undefined => new RegExp(`^\\s*${key} (.*)$`, 'm').exec(text ?? '')?.[1]

describe('keepalived.conf', () => {
  it('of the first of three', () => expect(keepalivedConf(settings)).toMatchFileSnapshot('golden/keepalived.conf'))

  it('with IPv6, alone, taking nothing back', () =>
    expect(
      keepalivedConf({
        ...settings,
        virtualAddress: '2001:db8::100',
        rank: 2,
        preempt: false,
        unicast: null,
        password: null,
        extra: ['global_defs {', '    vrrp_garp_interval 0.1', '}'],
      }),
    ).toMatchFileSnapshot('golden/keepalived-ipv6.conf'))

  it('asks without any tool that may be missing', () => expect(checkScript(8081)).toMatchFileSnapshot('golden/check-load-balancer'))
})

describe('keepalived', () => {
  it('ranks the hosts in the order of the config, and each knows all others', () =>
    withCreated(keepalived, scenario, 'debian-12', async ({ machines }) => {
      const [first = null, second = null] = await Promise.all([...machines.values()].map((machine) => machine.runner().files.read(conf)))
      expect([given(first, 'priority'), given(second, 'priority')]).toEqual(['200', '199'])
      expect([given(first, 'unicast_src_ip'), given(second, 'unicast_src_ip')]).toEqual(['192.0.2.5', '192.0.2.6'])
      expect(first).toMatch(/unicast_peer \{\s+192\.0\.2\.6\s+\}/)
      expect(given(first, 'interface')).toBe('eth0')
    }))

  it('makes a password of its own, the same on every host', () =>
    withCreated(keepalived, scenario, 'debian-12', async ({ machines }) => {
      const texts = await Promise.all([...machines.values()].map((machine) => machine.runner().files.read(conf)))
      const passwords = texts.map((text) => given(text, 'auth_pass'))
      expect(passwords[0]).toMatch(/^[\w-]{8}$/)
      expect(new Set(passwords).size).toBe(1)
    }))

  it('refuses a password that VRRP would cut off', () =>
    inTemporaryDirectory(async (directory) => {
      const { cluster, hosts } = balanced(`{${endpoint}, keepalived: {authPass: far-too-long-for-vrrp}}`, 'loadbalancer')
      const rehearsal = await Rehearsal.of(directory, cluster, hosts, 'debian-12')
      const module = defineModule({ name: 'test', create: (task) => task(keepalived) })
      const report = await rehearsal.run(definePipeline({ name: 'test', plan: (m) => m(module, 'create') }))
      expect(report.errors.map((error) => error.code)).toEqual(['KX_LB_PASSWORD', 'KX_LB_PASSWORD'])
    }))
})
