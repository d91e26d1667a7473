import { describe, expect, it } from 'vitest'
import { preflightOf } from '../../../../../test/support/preflight.ts'

const notYet = async (spec: string): Promise<readonly string[]> =>
  (await preflightOf({ spec })).findings.filter(({ code }) => code === 'KX_NOT_YET').map(({ problem }) => problem)

describe('what this version cannot do yet', () => {
  it('is nothing where nothing is asked for', async () => {
    expect(await notYet('')).toEqual([])
    expect(await notYet('kubernetes: {type: kubexm, kubeProxy: {extraArgs: {v: "2"}}}')).toEqual([])
    expect(await notYet('addons: [{name: metallb, enabled: false}]')).toEqual([])
  })

  it.each([
    ['network: {plugin: calico}', 'network.plugin: calico'],
    ['network: {flannel: {sources: {yaml: {path: [./a.yaml]}}}}', 'network.flannel.sources'],
    ['network: {multus: {enabled: true}}', 'network.multus.enabled'],
    ['kubernetes: {containerRuntime: {type: docker}}', 'containerRuntime.type: docker'],
    ['kubernetes: {autoRenewCerts: true}', 'kubernetes.autoRenewCerts'],
    ['kubernetes: {kata: {enabled: true}}', 'kubernetes.kata.enabled'],
    ['kubernetes: {type: kubeadm, kubeProxy: {extraArgs: {v: "2"}}}', 'kubeProxy.extraArgs with kubernetes.type: kubeadm'],
    ['dns: {nodelocaldns: {enabled: true}}', 'dns.nodelocaldns.enabled'],
    ['dns: {nodeEtcHosts: 192.0.2.9 a.example.com}', 'dns.nodeEtcHosts'],
    ['dns: {sources: {yaml: {path: [./a.yaml]}}}', 'dns.sources'],
    ['storage: {openebs: {}}', 'storage.openebs'],
    ['addons: [metallb]', 'addons'],
    ['gateway: {ingressNginx: {enabled: true}}', 'gateway.ingressNginx.enabled'],
  ])('%s', async (spec, what) => {
    // With its place in the config.
    expect(await notYet(spec)).toEqual([expect.stringMatching(/^test\.yaml:10:\d+: this version of kubexm cannot do /)])
    expect((await notYet(spec))[0]).toContain(`cannot do ${what} yet`)
  })
})
