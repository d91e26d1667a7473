import { describe, expect, it } from 'vitest'
import { withWholeCluster } from '../../test/support/whole-cluster.ts'
import type { Cluster } from '../config/index.ts'
import { pipelines } from '../pipeline/index.ts'

/** The same cluster with something in its config changed. */
const changed = (cluster: Cluster, over: (spec: Cluster['spec']) => Partial<Cluster['spec']>): Cluster => ({
  ...cluster,
  spec: { ...cluster.spec, ...over(cluster.spec) },
})

describe('creating a cluster that is there, from another config', () => {
  it.each([false, true])('is refused before anything is changed, also where preflight is left out: %s', (skipPreflight) =>
    withWholeCluster({ type: 'kubexm', etcd: 'kubexm', masters: 1 }, async (rehearsal) => {
      const before = rehearsal.mutations()
      const other = changed(rehearsal.cluster, ({ global, kubernetes, network }) => ({
        global: { ...global, skipPreflight },
        kubernetes: { ...kubernetes, version: 'v1.33.5' },
        network: { ...network, kubeServiceCIDR: ['10.96.0.0/16'] },
      }))
      const { outcome, errors, findings } = await rehearsal.run(pipelines['create-cluster'], { cluster: other })
      expect([outcome, errors.map(({ code }) => code)]).toEqual(['failed', ['KX_PREFLIGHT']])
      expect(findings.filter(({ severity }) => severity === 'error').map(({ problem }) => problem)).toEqual([
        'test.yaml:12:39: spec.kubernetes.version is v1.33.5, and the cluster has v1.34.4',
        'test.yaml:11:3: spec.network.kubeServiceCIDR is 10.96.0.0/16, and the cluster has 10.233.0.0/18',
      ])
      expect(rehearsal.mutations()).toBe(before)
    }),
  )

  it('is done where the cluster keeps nothing of what is other', () =>
    withWholeCluster({ type: 'kubexm', etcd: 'kubexm', masters: 1 }, async (rehearsal) => {
      const other = changed(rehearsal.cluster, ({ kubernetes }) => ({ kubernetes: { ...kubernetes, maxPods: 50 } }))
      expect((await rehearsal.run(pipelines['create-cluster'], { cluster: other })).errors).toEqual([])
    }))
})
