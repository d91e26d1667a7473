import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { balanced, firstOf } from '../../../../test/support/clusters.ts'
import { complains, ProgramTable } from '../../../simulation/program.ts'
import { standardPrograms } from '../../../simulation/programs/index.ts'
import { kubeVip } from './index.ts'
import { kubeVipEnvironment } from './templates.ts'

const endpoint = 'internalLoadbalancer: kube-vip, lb_address: 192.0.2.100'
const scenario = balanced(`{${endpoint}}`, 'master')
const manifest = '/etc/kubernetes/manifests/kube-vip.yaml'

conforms(kubeVip, firstOf(scenario))

interface Pod {
  readonly spec: { readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value?: string }[] }[] }
}

/** The environment of the pod on a host. */
const environment = (text: string | null): Record<string, string | undefined> =>
  Object.fromEntries((parse(text ?? '') as Pod).spec.containers[0]?.env.map(({ name, value }) => [name, value]) ?? [])

describe('kube-vip', () => {
  it('is one pod on every master, which asks its own API server', () =>
    withCreated(kubeVip, scenario, 'debian-12', async ({ machines }) => {
      const texts = await Promise.all([...machines.values()].map((machine) => machine.runner().files.read(manifest)))
      await expect(texts[0]).toMatchFileSnapshot('golden/kube-vip.yaml')
      expect(texts.map((text) => environment(text).kubernetes_addr)).toEqual([1, 2, 3].map((n) => `https://192.0.2.${n}:6443`))
    }))

  it('serves by itself alone where the kernel has no ipvs', () =>
    withCreated(
      kubeVip,
      { ...scenario, machine: { programs: new ProgramTable(standardPrograms).register('modprobe', () => complains('')) } },
      'debian-12',
      async ({ machines }) => {
        const on = (machines.get('node1') ?? expect.unreachable()).runner()
        expect(environment(await on.files.read(manifest))).not.toHaveProperty('lb_enable')
        expect(await on.files.read('/etc/modules-load.d/kubexm-kube-vip.conf')).toBeNull()
      },
    ))

  it('is announced by BGP from the loopback, by default under the address of each host', () =>
    withCreated(
      kubeVip,
      balanced(
        `{${endpoint}, kubevip: {mode: BGP, enableServicesLB: true, bgpConfig: {peerAddress: 192.0.2.254, peerASN: 65000, asn: 65001}, extraArgs: {bgp_hold_time: 9}}}`,
        'master',
      ),
      'debian-12',
      async ({ machines }) => {
        const env = environment(await (machines.get('node2') ?? expect.unreachable()).runner().files.read(manifest))
        expect(env).toMatchObject({
          vip_arp: 'false',
          vip_interface: 'lo',
          bgp_routerid: '192.0.2.2',
          bgp_as: '65001',
          bgp_peeras: '65000',
        })
        expect(env).toMatchObject({ svc_enable: 'true', bgp_hold_time: '9' })
        expect(env).not.toHaveProperty('vip_leaderelection')
      },
    ))

  it('takes what the user says last', () => {
    const settings = {
      address: '2001:db8::1',
      port: 6443,
      interface: 'eth0',
      apiServer: 'https://x',
      balances: false,
      services: false,
      bgp: null,
    }
    expect(kubeVipEnvironment({ ...settings, extra: { vip_leaseduration: '15' } })).toMatchObject({
      vip_leaseduration: '15',
      vip_subnet: '128',
    })
  })

  it('gives the address away in less than ten seconds when the master dies that holds it and leads etcd', () =>
    withCreated(kubeVip, scenario, 'debian-12', async ({ machines, cluster }) => {
      const env = environment(await (machines.get('node1') ?? expect.unreachable()).runner().files.read(manifest))
      const seconds = (name: string): number => Number(env[name])
      const [lease, deadline, retry] = [seconds('vip_leaseduration'), seconds('vip_renewdeadline'), seconds('vip_retryperiod')]
      // A member of etcd waits up to twice its timeout; who waits for the address asks after one to 2.2 periods.
      expect((2 * cluster.spec.etcd.electionTimeout) / 1000 + lease + 2.2 * retry).toBeLessThan(9)
      // kube-vip refuses other proportions.
      expect(lease).toBeGreaterThan(deadline)
      expect(deadline).toBeGreaterThan(1.2 * retry)
    }))
})
