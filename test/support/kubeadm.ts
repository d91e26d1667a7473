import { initControlPlane, installKubeadm, joinControlPlanes, joinWorkers } from '../../src/components/kubernetes/kubeadm/index.ts'
import { nodeTraces } from '../../src/components/kubernetes/node/index.ts'
import { type Cluster, type ClusterHost, hostsOf } from '../../src/config/index.ts'
import { hostPaths, type Runner } from '../../src/runner/index.ts'
import type { ClusterState } from '../../src/simulation/cluster-state.ts'
import { removePath } from '../../src/simulation/files.ts'
import type { HostState } from '../../src/simulation/state.ts'
import type { Task } from '../../src/task/index.ts'
import { type Scenario, Subject } from '../conformance/conforms.ts'
import { together } from '../conformance/together.ts'
import { clusterOf } from './clusters.ts'
import { inTemporaryDirectory } from './engine-run.ts'
import type { Rehearsal } from './rehearsal.ts'
import { withRuntime } from './simulated-services.ts'

/** Everything that makes a cluster with kubeadm. */
export const wholeCluster = together(nodeTraces, installKubeadm, initControlPlane, joinControlPlanes, joinWorkers)

/** A cluster that kubeadm makes, of some masters and some workers; `more` goes below `kubernetes`, `spec` beside it. */
export function kubeadmCluster(
  shape: { readonly masters: number; readonly workers: number; readonly etcd?: 'kubeadm' | 'kubexm'; readonly version?: string },
  more = '',
  spec = '',
): { readonly cluster: Cluster; readonly hosts: readonly ClusterHost[] } {
  const { masters, workers, etcd = 'kubeadm', version = 'v1.34.4' } = shape
  const names = [...range('m', masters), ...range('w', workers)]
  const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by)
  const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
${names.map((name, i) => `  - {name: ${name}, address: 192.0.2.${i + 1}, privateKeyPath: ~/.ssh/id_ed25519}`).join('\n')}
  roleGroups: {etcd: [${range('m', masters)}], master: [${range('m', masters)}], worker: [${workers === 0 ? range('m', 1) : range('w', workers)}]}
  controlPlaneEndpoint: ${masters > 1 ? '{internalLoadbalancer: haproxy}' : '{}'}
  etcd: {type: ${etcd}}
  network: {plugin: flannel}
  kubernetes:
    type: kubeadm
    version: ${version}
    proxyMode: iptables
${indented(more, '    ')}
${indented(spec, '  ')}`)
  return { cluster, hosts: hostsOf(cluster) }
}

const range = (letter: string, count: number): readonly string[] => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`)

/** Hosts as they are before kubeadm comes: prepared, and with a container runtime. */
export async function readyForKubeadm(rehearsal: Rehearsal): Promise<void> {
  await withRuntime(rehearsal)
  await rehearsal.prepare((on) => on.kernel.setSysctl('net.ipv4.ip_forward', '1'))
}

/** Hosts on which these tasks were done before, as if somebody else had done them. Done once: a state can be had again. */
export function having(...tasks: readonly Task[]): NonNullable<Scenario['before']> {
  let made: { readonly hosts: ReadonlyMap<string, HostState>; readonly cluster: ClusterState } | null = null
  return async (rehearsal) => {
    const { machines, simulated } = rehearsal
    if (made === null) {
      await readyForKubeadm(rehearsal)
      await inTemporaryDirectory((directory) => doTask(rehearsal, together(...tasks), directory))
      for (const machine of machines.values()) machine.meddle((state) => removePath(state, hostPaths.ledger, false))
      made = { hosts: new Map([...machines].map(([name, { state }]) => [name, state])), cluster: simulated.state }
    }
    for (const [name, state] of made.hosts) {
      machines.get(name)?.meddle(({ machine }) => ({ ...state, machine }))
      machines.get(name)?.mutations.splice(0)
    }
    simulated.state = made.cluster
    rehearsal.faults.clear()
  }
}

async function doTask(rehearsal: Rehearsal, task: Task, directory: string): Promise<void> {
  const { create } = new Subject(task, { cluster: rehearsal.cluster, hosts: rehearsal.hosts }, 'debian-12', directory)
  const { errors } = await rehearsal.run(create)
  if (errors.length > 0) throw new Error(errors.map((error) => `${error.message}\n${error.seen}`).join('\n'))
}

/** One of the hosts. */
export function hostOf(rehearsal: Rehearsal, name: string): Runner {
  const machine = rehearsal.machines.get(name)
  if (machine === undefined) throw new Error(`there is no host ${name}`)
  return machine.runner()
}
