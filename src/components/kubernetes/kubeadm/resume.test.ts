import { describe, expect, it } from 'vitest'
import { type Scenario, Subject } from '../../../../test/conformance/conforms.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { having, hostOf, kubeadmCluster } from '../../../../test/support/kubeadm.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { sh } from '../../../runner/index.ts'
import { withObject } from '../../../simulation/cluster-state.ts'
import { diffSnapshots } from '../../../simulation/index.ts'
import type { Task } from '../../../task/index.ts'
import { initControlPlane, installKubeadm, joinControlPlanes, joinWorkers } from './index.ts'

const configs = { init: '--config=/etc/kubernetes/kubeadm-config.yaml', join: '--config=/etc/kubernetes/kubeadm-join.yaml' }

/** Runs a task on hosts where something was left by one that was cut off; ends as if nothing had happened. */
const endsLikeUndisturbed = (task: Task, scenario: Scenario, cutOff: (rehearsal: Rehearsal) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (directory) => {
    const subject = new Subject(task, scenario, 'debian-12', directory)
    const undisturbed = (await subject.created()).snapshots()
    const rehearsal = await subject.rehearsal()
    await cutOff(rehearsal)
    expect((await rehearsal.run(subject.create)).errors).toEqual([])
    const left = rehearsal.snapshots().flatMap((snapshot, i) => diffSnapshots(snapshot, undisturbed[i] ?? snapshot))
    expect(left.filter((line) => !line.includes('/var/lib/kubexm'))).toEqual([])
  })

/** Every beginning of a list, but not nothing. */
const beginnings = (all: readonly string[]): readonly (readonly string[])[] => all.map((_, i) => all.slice(0, i + 1))

/** Phases by hand, as kubeadm does them; a host that joins finds the cluster by the same file as in a real join. */
async function phases(rehearsal: Rehearsal, host: string, verb: 'init' | 'join', names: readonly string[]): Promise<void> {
  const on = hostOf(rehearsal, host)
  const discovery = '/etc/kubernetes/kubexm-join.conf'
  if (verb === 'join') {
    const { text } = await rehearsal.pki.kubeconfig('joiner', host)
    await on.files.write(discovery, text, { mode: '0600' })
  }
  for (const name of names) await on.run(sh`kubeadm ${verb} phase ${name.split(' ')} ${configs[verb]}`)
  await on.files.remove(discovery)
}

const flannel = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'kube-flannel-ds', namespace: 'kube-flannel' } }

/** With a network on it a node is ready as soon as its kubelet runs. */
const withNetwork = ({ simulated }: Rehearsal): void => {
  simulated.state = withObject(simulated.state, flannel)
}

const initPhases = [
  'preflight',
  'kubeconfig all',
  'etcd local',
  'control-plane all',
  'kubelet-start',
  'wait-control-plane',
  'upload-config all',
  'mark-control-plane',
  'bootstrap-token',
  'kubelet-finalize all',
  'addon kube-proxy',
]

describe.each(['v1.30.14', 'v1.37.1'])('an init of %s that was cut off', (version) => {
  const scenario = { ...kubeadmCluster({ masters: 1, workers: 0, version }), before: having(installKubeadm) }

  it.each(beginnings(initPhases).map((names) => [names.at(-1), names] as const))('after %s is gone on with', (_, names) =>
    endsLikeUndisturbed(initControlPlane, scenario, (rehearsal) => phases(rehearsal, 'm1', 'init', names)),
  )
})

const joinPhases = {
  'v1.30.14': ['preflight', 'control-plane-prepare all', 'check-etcd', 'kubelet-start', 'control-plane-join all'],
  'v1.34.4': [
    'preflight',
    'control-plane-prepare all',
    'check-etcd',
    'kubelet-start',
    'etcd-join',
    'kubelet-wait-bootstrap',
    'control-plane-join all',
  ],
}

describe.each(Object.entries(joinPhases))('a join of a master of %s that was cut off', (version, names) => {
  const scenario = { ...kubeadmCluster({ masters: 2, workers: 0, version }), before: having(installKubeadm, initControlPlane) }

  it.each(beginnings(names).map((some) => [some.at(-1), some] as const))('after %s is gone on with', (_, some) =>
    endsLikeUndisturbed(joinControlPlanes, scenario, (rehearsal) => phases(rehearsal, 'm2', 'join', some)),
  )

  it('is gone on with though its node is ready by now', () =>
    endsLikeUndisturbed(joinControlPlanes, scenario, async (rehearsal) => {
      await phases(rehearsal, 'm2', 'join', names)
      withNetwork(rehearsal)
    }))
})

describe.each(Object.keys(joinPhases))('a join of a worker of %s that was cut off', (version) => {
  const scenario = { ...kubeadmCluster({ masters: 1, workers: 1, version }), before: having(installKubeadm, initControlPlane) }
  const names = ['preflight', 'kubelet-start', ...(version === 'v1.30.14' ? [] : ['kubelet-wait-bootstrap'])]

  it.each(beginnings(names).map((some) => [some.at(-1), some] as const))('after %s is gone on with', (_, some) =>
    endsLikeUndisturbed(joinWorkers, scenario, (rehearsal) => phases(rehearsal, 'w1', 'join', some)),
  )

  it('is gone on with though its node is ready by now', () =>
    endsLikeUndisturbed(joinWorkers, scenario, async (rehearsal) => {
      await phases(rehearsal, 'w1', 'join', names)
      withNetwork(rehearsal)
    }))
})

describe('a cluster that is there', () => {
  const shape = { masters: 2, workers: 1 }
  const whole = having(installKubeadm, initControlPlane, joinControlPlanes, joinWorkers)
  const scenario = { ...kubeadmCluster(shape), before: whole }
  const other = kubeadmCluster(shape, 'maxPods: 55\napiServer: {extraArgs: {event-ttl: 2h}}').cluster

  it.each([
    ['first master', initControlPlane, 'm1'],
    ['other master', joinControlPlanes, 'm2'],
    ['worker', joinWorkers, 'w1'],
  ] as const)('takes over other settings on its %s, once', (_, task, host) =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await new Subject(task, scenario, 'debian-12', directory).rehearsal()
      Object.assign(rehearsal, { cluster: other })
      const run = async (which: Task): Promise<ReadonlySet<string>> => {
        const { errors, states } = await rehearsal.run(new Subject(which, scenario, 'debian-12', directory).create)
        expect(errors).toEqual([])
        return new Set(states.values())
      }
      await run(installKubeadm)
      await run(initControlPlane)
      await run(task)
      expect(await hostOf(rehearsal, host).files.read('/var/lib/kubelet/config.yaml')).toContain('maxPods: 55')
      expect(await run(task)).toEqual(new Set(['satisfied']))
    }),
  )
})
