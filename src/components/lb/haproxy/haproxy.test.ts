import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { balanced, firstOf } from '../../../../test/support/clusters.ts'
import { sh } from '../../../runner/index.ts'
import { haproxyPods, haproxyService } from './index.ts'
import { type HaproxySettings, haproxyCfg } from './templates.ts'

const onWorkers = balanced('internalLoadbalancer: haproxy', 'worker')
const onTheirOwn = balanced('{externalLoadBalancer: kubexm-kh, lb_address: 192.0.2.100}', 'loadbalancer')

conforms(haproxyPods, { ...onWorkers, os: ['debian-12'] })
conforms(haproxyService, firstOf(onTheirOwn))
// One that somebody else runs there gets its own file back, and goes on as it was.
conforms(haproxyService, {
  ...firstOf(
    balanced('{externalLoadBalancer: kubexm-kh, lb_address: 192.0.2.100, haproxy: {frontendBindAddress: 192.0.2.100}}', 'loadbalancer'),
  ),
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      await on.packages.install(['haproxy'])
      await on.files.write('/etc/haproxy/haproxy.cfg', 'defaults\n    mode http\n', { mode: '0640' })
      await on.services.enable('haproxy')
      await on.services.restart('haproxy')
    }),
})

const settings: HaproxySettings = {
  bind: '127.0.0.1:6443',
  servers: [
    { name: 'node1', address: '192.0.2.1:6443' },
    { name: 'node2', address: '[2001:db8::2]:6443' },
  ],
  balance: 'leastconn',
  health: { port: 8081, of: 'itself' },
  runs: 'in-pod',
  extra: { global: [], defaults: [], frontend: [], backend: [] },
}

describe('haproxy.cfg', () => {
  it('in a pod', () => expect(haproxyCfg(settings)).toMatchFileSnapshot('golden/pod.cfg'))

  it('as a service that a virtual address hangs on, with what the user adds', () =>
    expect(
      haproxyCfg({
        ...settings,
        bind: '*:6443',
        health: { port: 8081, of: 'api-servers' },
        runs: 'as-service',
        extra: {
          global: ['maxconn 50000'],
          defaults: ['timeout client 4h', 'option tcplog'],
          frontend: ['bind 192.0.2.9:7443'],
          backend: ['option tcp-check', 'server spare 192.0.2.7:6443 backup'],
        },
      }),
    ).toMatchFileSnapshot('golden/service.cfg'))
})

describe('haproxy', () => {
  it('runs on workers that are no masters, and listens to them alone', () =>
    withCreated(haproxyPods, onWorkers, 'debian-12', async ({ machines }) => {
      const on = (machines.get('node4') ?? expect.unreachable()).runner()
      expect(await on.files.read('/etc/kubexm/haproxy/haproxy.cfg')).toContain('bind 127.0.0.1:6443\n')
      await expect(await on.files.read('/etc/kubernetes/manifests/haproxy.yaml')).toMatchFileSnapshot('golden/haproxy.yaml')
      expect(await (machines.get('node3') ?? expect.unreachable()).runner().files.list('/etc/kubernetes/manifests')).toEqual([])
    }))

  it('never runs with the file of the package, and balances over all masters', () =>
    withCreated(haproxyService, onTheirOwn, 'debian-12', async ({ machines }) => {
      for (const machine of machines.values()) {
        const on = machine.runner()
        const text = await on.files.read('/etc/haproxy/haproxy.cfg')
        expect(text?.match(/server node\S+ \S+/g)).toEqual([
          'server node1 192.0.2.1:6443',
          'server node2 192.0.2.2:6443',
          'server node3 192.0.2.3:6443',
        ])
        expect((await on.run(sh`ss -l -n`)).stdout).toContain('0.0.0.0:6443')
        machine.reboot()
        expect((await on.run(sh`ss -l -n`)).stdout).toContain('0.0.0.0:6443')
      }
    }))

  it('is not installed where the user says so', () =>
    withCreated(
      haproxyService,
      {
        ...balanced(
          '{externalLoadBalancer: kubexm-kh, lb_address: 192.0.2.100, haproxy: {skipInstall: true, frontendPort: 7443}}',
          'loadbalancer',
        ),
        before: (rehearsal) => rehearsal.prepare((on) => on.packages.install(['haproxy'])),
      },
      'rocky-9',
      async (rehearsal) => {
        expect(rehearsal.journalText().includes('install haproxy')).toBe(false)
        for (const machine of rehearsal.machines.values()) expect((await machine.runner().run(sh`ss -l`)).stdout).toContain(':7443')
      },
    ))
})
