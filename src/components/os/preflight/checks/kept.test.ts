import { describe, expect, it } from 'vitest'
import { preflightOf, tryRows } from '../../../../../test/support/preflight.ts'
import type { Membership } from '../../../../config/index.ts'
import { hostPaths } from '../../../../runner/index.ts'

/** A host that says of its cluster what is given. */
const member = (said: Partial<Membership>) => ({
  files: { [hostPaths.membership]: JSON.stringify({ cluster: 'test', authority: 'of another one', has: {}, ...said }) },
})
const range = { has: { 'spec.network.kubePodsCIDR': '10.99.0.0/16' } }
const spec = 'network:\n  kubePodsCIDR: 10.10.0.0/16'

describe('what the cluster keeps', () => {
  tryRows([
    {
      code: 'KX_OTHER_CLUSTER',
      severity: 'error',
      on: ['local'],
      fires: { node1: member({ cluster: 'old' }), node3: member({ cluster: 'old', ...range }) },
      says: 'node1, node3: part of the cluster old, not of test (test.yaml:3:18)',
      quiet: { node1: member({}) },
    },
    {
      code: 'KX_OTHER_AUTHORITY',
      severity: 'error',
      on: ['local'],
      fires: { node2: member({}) },
      says: 'node2: the certificates of test were issued by another authority',
      // Those of another cluster are not compared with ours.
      quiet: { node2: member({ cluster: 'old' }) },
    },
    {
      code: 'KX_KEPT_FIELD',
      severity: 'error',
      on: ['local'],
      fires: { spec, node1: member(range), node2: member(range) },
      says: 'test.yaml:11:19: spec.network.kubePodsCIDR is 10.10.0.0/16, and the cluster has 10.99.0.0/16',
      quiet: {
        spec: 'network:\n  kubePodsCIDR: 10.99.0.0/16',
        node1: member(range),
        node2: { files: { [hostPaths.membership]: '{"clus' } },
      },
    },
  ])

  it('names hosts where they disagree', async () => {
    const { findings } = await preflightOf({
      spec,
      node1: member(range),
      node2: member({ has: { 'spec.network.kubePodsCIDR': '10.10.0.0/16' } }),
    })
    expect(findings.filter(({ code }) => code === 'KX_KEPT_FIELD').map(({ problem }) => problem)).toEqual([
      'test.yaml:11:19: spec.network.kubePodsCIDR is 10.10.0.0/16, and the cluster has 10.99.0.0/16 (node1)',
    ])
  })
})
