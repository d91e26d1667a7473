import { describe, expect, it } from 'vitest'
import { clusterOf } from '../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { Rehearsal } from '../../test/support/rehearsal.ts'
import { hostsOf } from '../config/index.ts'
import { pipelines } from '../pipeline/index.ts'
import { hostPaths } from '../runner/index.ts'
import { diffFleets } from '../simulation/index.ts'

const ownRecords = new RegExp(hostPaths.root)

/** Every part that has something to say about other hosts: names, certificates, balancers, clocks, the registry, etcd. */
const config = (kubernetes: string, etcd: string, endpoint: string, roles: string) => `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
${['m1', 'm2', 'm3', 'w1', 'w2', 'x1', 'x2', 'r1'].map((name, i) => `  - {name: ${name}, address: 192.0.2.${i + 1}, privateKeyPath: ~/.ssh/id_ed25519}`).join('\n')}
  roleGroups: {master: [m1, m2, m3], worker: [w1, w2], registry: [r1], ${roles}}
  controlPlaneEndpoint: {${endpoint}}
  system: {ntpServers: [r1, ntp.example.com]}
  registry: {privateRegistry: hub.kubexm.local}
  etcd: {type: ${etcd}}
  kubernetes: {type: ${kubernetes}, version: v1.34.4, proxyMode: iptables}
`

const shapes = [
  { kubernetes: 'kubexm', etcd: 'kubexm', endpoint: 'internalLoadbalancer: haproxy', roles: 'etcd: [x1, x2, m1]' },
  {
    kubernetes: 'kubeadm',
    etcd: 'kubeadm',
    endpoint: 'externalLoadBalancer: kubexm-kh, lb_address: 192.0.2.100, internalLoadbalancer: nginx',
    roles: 'loadbalancer: [x1, x2]',
  },
] as const

describe('a run limited to some hosts', () => {
  it.each(shapes)('puts on each of them what a run about all of them would: $kubernetes', ({ kubernetes, etcd, endpoint, roles }) =>
    inTemporaryDirectory(async (directory) => {
      const cluster = clusterOf(config(kubernetes, etcd, endpoint, roles))
      const rehearsal = await Rehearsal.of(directory, cluster, hostsOf(cluster), 'debian-12')
      const { errors } = await rehearsal.run(pipelines['create-cluster'])
      expect(errors).toEqual([])
      for (const { name } of rehearsal.hosts) {
        const before = rehearsal.snapshots()
        const report = await rehearsal.run(pipelines['create-cluster'], { only: [name] })
        expect([name, report.errors]).toEqual([name, []])
        // What is applied to the cluster is kept by the master that applied it, and any master may.
        const changed = diffFleets(before, rehearsal.snapshots()).filter((line) => !ownRecords.test(line) && !/addons/.test(line))
        expect([name, changed]).toEqual([name, []])
      }
    }),
  )
})
