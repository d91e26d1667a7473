import type { Cluster } from '../../src/config/index.ts'
import { createPki, memoryStore, type Pki } from '../../src/pki/index.ts'
import type { VirtualClock } from './virtual-clock.ts'

const shared = new WeakMap<Cluster, Pki>()

/**
 * The PKI of a cluster in tests: keys are random, and two rehearsals of one cluster must end alike, so they have one in common.
 * What destroys it destroys it for this rehearsal alone.
 */
export function sharedPki(cluster: Cluster): Pki {
  const pki = shared.get(cluster) ?? createPki({ cluster, store: memoryStore() })
  shared.set(cluster, pki)
  let destroyed = false
  return {
    ...pki,
    exists: async () => !destroyed && (await pki.exists()),
    destroy: async () => {
      destroyed = true
    },
  }
}

/** The same PKI in a run of virtual time, which stands still while another thread makes a key. */
export const inTimeOf = (clock: VirtualClock, pki: Pki): Pki =>
  Object.fromEntries(
    Object.entries(pki).map(([name, act]: [string, (...args: never[]) => Promise<unknown>]) => [
      name,
      (...args: never[]) => clock.outside(act(...args)),
    ]),
  ) as unknown as Pki
