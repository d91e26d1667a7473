import { expect, test } from 'vitest'
import { inClusterLab } from '../support/cluster-lab.ts'
import { proveCluster } from '../support/cluster-proof.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { expectNothingTwice, killAgainAndAgain, kills } from '../support/killed-runs.ts'
import { describeLab } from '../support/with-lab.ts'

const version = 'v1.34.4'
const stacked = { etcd: { type: 'kubeadm' }, roleGroups: { etcd: [] } }

describeLab('a cluster whose creation is killed', () => {
  test('with kill -9 at random moments is finished by --resume, with no change made twice', () =>
    inClusterLab(4, { version, type: 'kubeadm', masters: 3, spec: stacked }, async ({ lab, directory, config, kubexm, env }) => {
      const before = await snapshotHost(lab, 'node2')
      const create = ['create', 'cluster']
      const finished = await killAgainAndAgain({
        lab,
        args: [...create, '--file', config, '--directory', directory],
        env,
        // Connecting alone takes half a second or more: what is killed before that has done nothing yet.
        between: [700, 4700],
        again: (...more) => kubexm(...create, ...more),
      })
      expect(finished, 'runs that came to their end before they were killed').toBeLessThan(kills / 2)
      const masters = ['node1', 'node2', 'node3'].map((name) => ({ name, roles: ['control-plane'] as const }))
      const nodes = [...masters, { name: 'node4', roles: ['worker'] as const }]
      await proveCluster(lab, { nodes, version, master: 'node1' })
      expect((await kubexm(...create)).stdout).toContain('nothing to change')
      await expectNothingTwice(lab, 20)
      expect((await kubexm('delete', 'cluster', '--yes', '--purge-data')).code).toBe(0)
      expect(diffSnapshots(before, await snapshotHost(lab, 'node2'))).toEqual([])
    }))
})
