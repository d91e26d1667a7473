import { readLedger } from '../../ledger/index.ts'
import type { Reader } from '../../runner/index.ts'
import { driftOf } from '../../step/index.ts'
import { orElse, type Surroundings } from './surroundings.ts'
import type { HostDrift } from './types.ts'

/** What has become, on every host that can be asked, of the things its ledger says kubexm made. */
export function lookForDrift({ hosts, lost, runner }: Surroundings): Promise<readonly HostDrift[]> {
  const asked = hosts.filter(({ name }) => !lost.has(name))
  return Promise.all(asked.map(({ name }) => driftOn(runner(name))))
}

async function driftOn(on: Reader): Promise<HostDrift> {
  const nothing = (problem: string): HostDrift => ({ host: on.host, looked: 0, drifted: [], problem })
  return orElse(async () => {
    const entries = await readLedger(on)
    if (entries.length === 0) return nothing('kubexm has made nothing here')
    return { host: on.host, ...(await driftOf(on, entries)), problem: null }
  }, nothing)
}
