import { describe, expect, it } from 'vitest'
import { properties, Subject } from '../../../../test/conformance/conforms.ts'
import { smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import type { Membership } from '../../../config/index.ts'
import { hostPaths } from '../../../runner/index.ts'
import { membership } from './index.ts'

describe('what a host knows of its cluster', () => {
  // It lies where kubexm keeps its own things, which the suite looks at only as a whole: that it goes is seen below.
  const { 'create, then delete, leaves no trace': _, ...others } = properties
  it.each(Object.entries(others))('%s', (_name, property) =>
    inTemporaryDirectory((directory) => property(new Subject(membership, smallCluster(), 'debian-12', directory))),
  )

  it('is its name, its authority and what it keeps; it goes with the cluster', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(membership, smallCluster(), 'debian-12', directory)
      const rehearsal = await subject.created()
      const read = () => Promise.all(rehearsal.hosts.map(({ name }) => rehearsal.world.runner(name).files.read(hostPaths.membership)))
      const texts = await read()
      expect(new Set(texts).size).toBe(1)
      const { cluster, authority, has } = JSON.parse(texts[0] ?? '') as Membership
      expect({ cluster, authority }).toEqual({ cluster: 'test', authority: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(has['spec.network.kubePodsCIDR']).toBe('10.233.64.0/18')
      expect((await rehearsal.run(subject.remove)).errors).toEqual([])
      expect(await read()).toEqual([null, null, null])
    }))
})
