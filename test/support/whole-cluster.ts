import { type Cluster, hostsOf } from '../../src/config/index.ts'
import { pipelines } from '../../src/pipeline/index.ts'
import { clusterOf } from './clusters.ts'
import { inTemporaryDirectory } from './engine-run.ts'
import { Rehearsal } from './rehearsal.ts'

/** What kind of cluster is created, and of how many masters; there is one worker besides. */
export interface WholeCluster {
  readonly type: 'kubeadm' | 'kubexm'
  readonly etcd: 'kubexm' | 'kubeadm'
  readonly masters: number
  /** Flannel unless the user is to bring one. */
  readonly network?: 'none'
}

/** A config of hosts m1… and w1. */
export function wholeClusterOf({ type, etcd, masters, network }: WholeCluster): Cluster {
  const names = [...Array.from({ length: masters }, (_, i) => `m${i + 1}`), 'w1']
  const control = names.slice(0, -1).join(', ')
  return clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
${names.map((name, i) => `  - {name: ${name}, address: 192.0.2.${i + 1}, privateKeyPath: ~/.ssh/id_ed25519}`).join('\n')}
  roleGroups: {etcd: [${control}], master: [${control}], worker: [w1]}
  controlPlaneEndpoint: ${masters > 1 ? '{internalLoadbalancer: haproxy}' : '{}'}
  etcd: {type: ${etcd}}
  network: {plugin: ${network ?? 'flannel'}}
  kubernetes: {type: ${type}, version: v1.34.4}
`)
}

/** A rehearsal in which a whole cluster was created; `prepare` makes the hosts as they were before. */
export const withWholeCluster = (
  shape: WholeCluster,
  use: (rehearsal: Rehearsal) => Promise<void>,
  prepare: (rehearsal: Rehearsal) => Promise<void> = async () => {},
): Promise<void> =>
  inTemporaryDirectory(async (directory) => {
    const cluster = wholeClusterOf(shape)
    const rehearsal = await Rehearsal.of(directory, cluster, hostsOf(cluster), 'debian-12')
    await prepare(rehearsal)
    const { errors } = await rehearsal.run(pipelines['create-cluster'])
    if (errors[0] !== undefined) throw errors[0]
    rehearsal.events.length = 0
    await use(rehearsal)
  })
