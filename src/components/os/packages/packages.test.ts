import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { packageDirectory } from '../../../step/generic/package.ts'
import { packages } from './index.ts'

const scenario = oneHost('system: {debs: [nfs-common, tar], rpms: [nfs-utils]}')

conforms(packages, scenario)

/** What a bundle puts on a host: one file a package. */
const bundled = ['conntrack-tools', 'socat', 'ebtables', 'ethtool', 'ipset', 'ipvsadm', 'nftables', 'nfs-utils']

conforms(packages, {
  ...scenario,
  os: ['rocky-9'],
  machine: { internet: false },
  before: (rehearsal) =>
    rehearsal.prepare(async (on) => {
      for (const name of bundled) await on.files.write(`${packageDirectory}/${name}-1.0-1.el9.noarch.rpm`, name, { mode: '0644' })
    }),
})

describe('packages', () => {
  it('are installed in one go, by the names the distribution has for them', () =>
    withCreated(packages, scenario, 'rocky-9', async ({ machines }) => {
      for (const machine of machines.values()) {
        expect(machine.mutations.filter(({ what }) => what === 'packages.install').map(({ target }) => target)).toEqual([
          'conntrack-tools socat ebtables ethtool ipset ipvsadm nftables nfs-utils',
        ])
      }
    }))
})
