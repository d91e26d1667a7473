import { describe, expect, it } from 'vitest'
import { inertRunner } from '../../../test/support/inert-runner.ts'
import type { Output, Runner } from '../../runner/index.ts'
import { kubeadmFailure, runKubeadm } from './kubeadm-run.ts'

const preflight = `error: error execution phase preflight: [preflight] Some fatal errors occurred:
	[ERROR Port-6443]: Port 6443 is in use
	[ERROR DirAvailable--var-lib-etcd]: /var/lib/etcd is not empty
[preflight] If you know what you are doing, you can make a check non-fatal with \`--ignore-preflight-errors=...\`
To see the stack trace of this error execute with --v=5 or higher
`

const waited = `W1116 04:12:12.423428   18537 x.go:361] [config] WARNING: something
error: error execution phase wait-control-plane: failed while waiting for the control plane to start: kube-apiserver check failed at https://192.0.2.1:6443/livez: connection refused
To see the stack trace of this error execute with --v=5 or higher
`

describe('what kubeadm says', () => {
  it('is told apart into checks that failed', () => {
    expect(kubeadmFailure(preflight).findings).toEqual([
      { check: 'Port-6443', problem: 'Port 6443 is in use' },
      { check: 'DirAvailable--var-lib-etcd', problem: '/var/lib/etcd is not empty' },
    ])
  })

  it.each([
    [waited, 'wait-control-plane', /^failed while waiting for the control plane to start: kube-apiserver check failed at .* refused$/],
    ['error execution phase control-plane-prepare/certs: no such file', 'control-plane-prepare/certs', /^no such file$/],
    ['your configuration file uses an old API spec', 'unknown', /^your configuration file uses an old API spec$/],
  ])('is told apart into the phase and the reason', (printed, phase, why) => {
    expect(kubeadmFailure(printed)).toMatchObject({ phase, why: expect.stringMatching(why), findings: [] })
  })
})

/** A host whose answers are known; those to anything else are empty. */
function host(answers: Readonly<Record<string, Partial<Output>>>): Runner & { readonly asked: string[] } {
  const asked: string[] = []
  const run = async (command: string): Promise<Output> => {
    asked.push(command)
    const found = Object.entries(answers).find(([words]) => command.includes(words))?.[1] ?? {}
    return { code: 0, stdout: '', stderr: '', ...found }
  }
  return Object.assign(inertRunner('m1'), { run, asked })
}

describe('kubeadm', () => {
  it('is run one at a time, with the programs it calls to be found', async () => {
    const on = host({})
    await runKubeadm(on, on, 'init phase preflight', '--config=/x.yaml')
    expect(on.asked).toEqual([
      'PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin flock /var/lib/kubexm/kubeadm.lock /usr/local/bin/kubeadm init phase preflight --config=/x.yaml',
    ])
  })

  it('that fails its checks says which they are', async () => {
    const on = host({ 'kubeadm init': { code: 1, stderr: preflight } })
    await expect(runKubeadm(on, on, 'init')).rejects.toMatchObject({
      code: 'KX_KUBEADM_PREFLIGHT',
      params: { findings: 'Port 6443 is in use; /var/lib/etcd is not empty', checks: 'Port-6443, DirAvailable--var-lib-etcd' },
    })
  })

  it.each<[what: string, more: Readonly<Record<string, Partial<Output>>>, seen: string]>([
    [
      'the pod that died',
      { "exited --quiet '--name=^etcd$'": { stdout: 'abc\n' }, 'logs --tail=8 abc': { stderr: 'no space left on device\n' } },
      'etcd: no space left on device',
    ],
    [
      'the API server that runs and does not answer',
      { "running --quiet '--name=^kube-apiserver$'": { stdout: 'def\nold\n' }, 'logs --tail=8 def': { stdout: 'waiting for etcd\n' } },
      'kube-apiserver: waiting for etcd',
    ],
    [
      'the kubelet that starts none',
      { journalctl: { stdout: 'failed to load kubelet config file\n' } },
      'kubelet: failed to load kubelet config file',
    ],
  ])('that waits in vain shows what was said last by %s', async (_, more, seen) => {
    const on = host({ 'kubeadm init': { code: 1, stderr: waited }, ...more })
    await expect(runKubeadm(on, on, 'init')).rejects.toMatchObject({
      code: 'KX_KUBEADM',
      params: { verb: 'init', phase: 'wait-control-plane' },
      seen: expect.stringMatching(new RegExp(`connection refused\\n${seen}$`)),
    })
  })
})
