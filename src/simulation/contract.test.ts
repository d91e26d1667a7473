import { expect } from 'vitest'
import { runnerContract } from '../../test/support/runner-contract.ts'
import { diffSnapshots, type OsName, osProfiles, SimulatedHost } from './index.ts'

for (const os of Object.keys(osProfiles) as OsName[]) {
  runnerContract(`a simulated ${os}`, async () => {
    const host = new SimulatedHost({ os })
    const before = host.snapshot()
    return { on: host.runner(), release: async () => expect(diffSnapshots(before, host.snapshot())).toEqual([]) }
  })
}
