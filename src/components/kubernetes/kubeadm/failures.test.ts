import { describe, expect, it } from 'vitest'
import { type Scenario, Subject } from '../../../../test/conformance/conforms.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { having, hostOf, kubeadmCluster } from '../../../../test/support/kubeadm.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import type { Report } from '../../../engine/index.ts'
import { sh } from '../../../runner/index.ts'
import type { Task } from '../../../task/index.ts'
import { initControlPlane, installKubeadm, joinControlPlanes, joinWorkers } from './index.ts'

interface Trial {
  readonly rehearsal: Rehearsal
  run(changed?: Parameters<Rehearsal['run']>[1]): Promise<Report>
}

/** A task on hosts that are made ready for it, to be tried. */
const trial = (task: Task, scenario: Scenario, test: (trial: Trial) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (directory) => {
    const subject = new Subject(task, scenario, 'debian-12', directory)
    const rehearsal = await subject.rehearsal()
    await test({ rehearsal, run: (changed) => rehearsal.run(subject.create, changed) })
  })

const one = { ...kubeadmCluster({ masters: 1, workers: 1 }), before: having(installKubeadm) }
const joined = { ...kubeadmCluster({ masters: 1, workers: 1 }), before: having(installKubeadm, initControlPlane) }
const oneOfThree = { ...kubeadmCluster({ masters: 3, workers: 1 }), before: having(installKubeadm, initControlPlane) }
const masters = { ...kubeadmCluster({ masters: 3, workers: 1 }), before: having(installKubeadm, initControlPlane, joinControlPlanes) }

describe('init', () => {
  it('names everything kubeadm finds wrong with a host, and changes nothing', () =>
    trial(initControlPlane, one, async ({ rehearsal, run }) => {
      const on = hostOf(rehearsal, 'm1')
      await on.files.write('/etc/kubernetes/manifests/kube-scheduler.yaml', 'of somebody else\n', { mode: '0600' })
      await on.kernel.setSysctl('net.ipv4.ip_forward', '0')
      const [error] = (await run()).errors
      expect(error).toMatchObject({
        code: 'KX_KUBEADM_PREFLIGHT',
        where: { host: 'm1' },
        message: expect.stringMatching(/ip_forward contents are not set to 1; .*kube-scheduler.yaml already exists/),
        fix: expect.stringContaining('FileAvailable--etc-kubernetes-manifests-kube-scheduler.yaml'),
      })
      expect(await on.files.read('/etc/kubernetes/admin.conf')).toBeNull()
    }))

  it('says that the API server did not come up, and goes on where it was once the cause is mended', () =>
    trial(initControlPlane, one, async ({ rehearsal, run }) => {
      const on = hostOf(rehearsal, 'm1')
      const path = '/etc/kubernetes/pki/apiserver.key'
      const key = (await on.files.read(path)) ?? ''
      await on.files.remove(path)
      const [error] = (await run()).errors
      expect(error).toMatchObject({
        code: 'KX_KUBEADM',
        params: { verb: 'init', phase: 'wait-control-plane' },
        seen: expect.stringContaining('kube-apiserver check failed'),
      })
      await on.files.write(path, key, { mode: '0600' })
      expect((await run()).errors).toEqual([])
    }))

  it('leaves a cluster alone whose kubeadm is older than the API its configuration is written for', () =>
    trial(initControlPlane, one, async ({ rehearsal, run }) => {
      const on = hostOf(rehearsal, 'm1')
      const text = (await on.files.read('/etc/kubernetes/kubeadm-config.yaml')) ?? ''
      await on.files.write('/etc/kubernetes/kubeadm-config.yaml', text.replaceAll('v1beta4', 'v1beta3'), { mode: '0600' })
      const [error] = (await run()).errors
      expect(error).toMatchObject({ code: 'KX_KUBEADM', seen: expect.stringContaining('cannot unmarshal array') })
    }))
})

describe('a join', () => {
  it('says which API servers it asked in vain', () =>
    trial(joinWorkers, joined, async ({ rehearsal, run }) => {
      await hostOf(rehearsal, 'm1').services.stop('kubelet')
      const [error] = (await run()).errors
      expect(error).toMatchObject({ code: 'KX_KUBEADM_NO_API', params: { urls: 'https://lb.kubexm.local:6443, https://192.0.2.1:6443' } })
      expect(await hostOf(rehearsal, 'w1').files.list('/etc/kubernetes')).not.toContain('kubexm-join.conf')
    }))

  it('goes through another master when the first one is gone', () =>
    trial(joinWorkers, masters, async ({ rehearsal, run }) => {
      rehearsal.machines.get('m1')?.powerOff()
      expect((await run()).errors).toEqual([])
      expect(rehearsal.simulated.state.objects.has('Node//w1')).toBe(true)
    }))

  it('that had turned the kubelet home without telling it is told after the next one', () =>
    trial(joinWorkers, joined, async ({ rehearsal, run }) => {
      await run()
      const machine = rehearsal.machines.get('w1')
      await hostOf(rehearsal, 'w1').files.remove('/var/lib/kubexm/kubeadm-node')
      machine?.mutations.splice(0)
      expect((await run()).errors).toEqual([])
      expect(machine?.mutations.map(({ what }) => what)).toContain('services.restart')
    }))

  it('of a master that is taken back takes its member out of etcd too', () =>
    trial(joinControlPlanes, oneOfThree, async ({ rehearsal, run }) => {
      // The last change there is: the note that m3 is made.
      const clean = await changesOf(joinControlPlanes, oneOfThree)
      rehearsal.faults.failAt(clean, 'after')
      const report = await run({ rollbackOnFailure: true })
      expect(report.outcome).toBe('failed')
      expect(rehearsal.simulated.state.members.map(({ host }) => host)).toEqual(['m1'])
      const answer = await hostOf(rehearsal, 'm1').run(sh`kubectl --kubeconfig=/etc/kubernetes/admin.conf label node m1 still=writes`)
      expect(answer.code).toBe(0)
    }))
})

/** How many changes a task makes when nothing goes wrong. */
const changesOf = (task: Task, scenario: Scenario): Promise<number> => {
  let changes = 0
  return trial(task, scenario, async ({ rehearsal, run }) => {
    await run()
    changes = rehearsal.mutations()
  }).then(() => changes)
}
