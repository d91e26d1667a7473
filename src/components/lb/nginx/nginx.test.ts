import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { balanced, firstOf } from '../../../../test/support/clusters.ts'
import { sh } from '../../../runner/index.ts'
import { nginxPods, nginxService } from './index.ts'
import { type NginxSettings, nginxConf, nginxDropIn } from './templates.ts'

const onWorkers = balanced('internalLoadbalancer: nginx', 'worker')
const endpoint = 'externalLoadBalancer: kubexm-kn, lb_address: 192.0.2.100'
const onTheirOwn = balanced(`{${endpoint}}`, 'loadbalancer')

conforms(nginxPods, { ...onWorkers, os: ['debian-12'] })
conforms(nginxService, firstOf(onTheirOwn))
// A web server of somebody else keeps its own file where the user gives us another one.
conforms(nginxService, {
  ...firstOf(balanced(`{${endpoint}, nginxLB: {configFilePath: /etc/nginx/kubexm.conf}}`, 'loadbalancer')),
  os: ['debian-12'],
  before: (rehearsal) => rehearsal.prepare((on) => on.packages.install(['nginx-light'])),
})

const settings: NginxSettings = {
  listen: '127.0.0.1:6443',
  servers: ['192.0.2.1:6443', '[2001:db8::2]:6443'],
  balance: 'least_conn',
  health: { port: 8081, of: 'itself' },
  runs: 'in-pod',
  extra: { http: [], stream: [], server: [] },
}

describe('nginx.conf', () => {
  it('in a pod', () => expect(nginxConf(settings)).toMatchFileSnapshot('golden/pod.conf'))

  it('as a service that a virtual address hangs on, with what the user adds', () =>
    expect(
      nginxConf({
        ...settings,
        listen: '[::]:6443 ipv6only=off',
        balance: 'hash',
        health: { port: 8081, of: 'api-servers' },
        runs: 'rhel',
        extra: {
          http: ['server_tokens off;'],
          stream: ['proxy_timeout 4h;'],
          server: ['listen 192.0.2.9:7443;', 'allow 192.0.2.0/24;', 'deny all;'],
        },
      }),
    ).toMatchFileSnapshot('golden/service.conf'))

  it.each([
    ['round_robin', []],
    ['least_conn', ['least_conn;']],
    ['hash', ['hash $remote_addr consistent;']],
  ] as const)('spreads connections by %s', (balance, lines) => {
    const upstream = /upstream kube_apiserver \{([^}]*)\}/.exec(nginxConf({ ...settings, balance }))?.[1] ?? ''
    expect(
      upstream
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('server ')),
    ).toEqual(lines)
  })

  it('at another place is made known to the unit', () =>
    expect(nginxDropIn('/etc/nginx/kubexm.conf')).toMatchFileSnapshot('golden/drop-in.conf'))
})

describe('nginx', () => {
  it('runs on workers that are no masters', () =>
    withCreated(nginxPods, onWorkers, 'debian-12', async ({ machines }) => {
      const on = (machines.get('node4') ?? expect.unreachable()).runner()
      await expect(await on.files.read('/etc/kubernetes/manifests/nginx.yaml')).toMatchFileSnapshot('golden/nginx.yaml')
      expect(await (machines.get('node3') ?? expect.unreachable()).runner().files.list('/etc/kubernetes/manifests')).toEqual([])
    }))

  it.each(['debian-12', 'rocky-9'] as const)('has the stream module, and opens no port nobody asked for, on %s', (os) =>
    withCreated(nginxService, onTheirOwn, os, async ({ machines }) => {
      for (const machine of machines.values()) {
        machine.reboot()
        const open = (await machine.runner().run(sh`ss -l`)).stdout
        expect(open).toContain('0.0.0.0:6443')
        expect(open).not.toContain(':80 ')
      }
    }),
  )
})
