import { describe, expect, it } from 'vitest'
import { kubeadmDropIn, kubeletUnit, skippedOnInit, skippedOnJoin, withServer } from './templates.ts'

describe('the kubelet', () => {
  it('has the unit and the drop-in of the packages, with its own path', async () => {
    await expect(kubeletUnit('/usr/local/bin/kubelet')).toMatchFileSnapshot('golden/kubelet.service')
    const files = {
      bootstrapKubeconfig: '/etc/kubernetes/bootstrap-kubelet.conf',
      kubeconfig: '/etc/kubernetes/kubelet.conf',
      directory: '/var/lib/kubelet',
    }
    await expect(kubeadmDropIn('/usr/local/bin/kubelet', files)).toMatchFileSnapshot('golden/10-kubeadm.conf')
  })
})

describe('phases that are left out', () => {
  it.each([
    [{ begun: false, kubeProxy: true }, ['certs', 'upload-certs', 'addon/coredns', 'show-join-command']],
    [{ begun: true, kubeProxy: true }, ['preflight', 'certs', 'upload-certs', 'addon/coredns', 'show-join-command']],
    [{ begun: false, kubeProxy: false }, ['certs', 'upload-certs', 'addon/coredns', 'show-join-command', 'addon/kube-proxy']],
  ])('of an init: %j', (state, expected) => {
    expect(skippedOnInit(state)).toEqual(expected)
  })

  it.each([
    [{ begun: false, ready: false }, []],
    [{ begun: true, ready: false }, ['preflight']],
    [{ begun: true, ready: true }, ['preflight', 'kubelet-start', 'kubelet-wait-bootstrap']],
  ])('of a join: %j', (state, expected) => {
    expect(skippedOnJoin(state, ['kubelet-start', 'kubelet-wait-bootstrap'])).toEqual(expected)
  })
})

it.each([
  [
    'clusters:\n- cluster:\n    certificate-authority-data: abc\n    server: https://lb.kubexm.local:6443\n  name: x\n',
    'https://192.0.2.1:6443',
  ],
  ['clusters:\n- cluster:\n    server: "https://[fd00::1]:6443"\n  name: x\n', 'https://lb.kubexm.local:8443'],
])('a kubeconfig is turned to another API and stays otherwise as it is', (text, url) => {
  const turned = withServer(text, url)
  expect(turned).toContain(`    server: ${url}\n`)
  expect(turned.replace(/server: .*/, '')).toBe(text.replace(/server: .*/, ''))
  expect(withServer(turned, url)).toBe(turned)
})
