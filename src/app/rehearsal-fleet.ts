import { type Cluster, hostsOf } from '../config/index.ts'
import type { ArtifactStore, Registries } from '../runtime/index.ts'
import { memoryFiles, SimulatedArtifacts, SimulatedFleet, SimulatedHost, SimulatedRegistries, usualLatency } from '../simulation/index.ts'
import { systemClock } from '../util/time.ts'
import { type Fleet, type FleetWish, gatherFleet } from './fleet.ts'

/** The machines of a cluster as simulated ones: any operation can be tried on them, and nothing real is touched. */
export async function rehearsalFleet(
  cluster: Cluster,
  { latency, ...wish }: FleetWish & { readonly latency: boolean },
): Promise<Fleet & { readonly store: ArtifactStore; readonly registries: Registries }> {
  const localFiles = memoryFiles()
  const made = new SimulatedArtifacts(localFiles)
  const simulated = new SimulatedFleet({
    localFiles,
    hosts: hostsOf(cluster).map(({ name, address, internalAddresses, arch }) => ({
      name,
      address,
      otherAddresses: internalAddresses.filter((own) => own !== address),
      ...(arch === null ? {} : { arch }),
    })),
    ...(latency ? { clock: systemClock, latency: usualLatency() } : {}),
  })
  const local = new SimulatedHost({ name: 'local' }).runner()
  const fleet = await gatherFleet(
    cluster,
    wish,
    async (host) => simulated.runner(host.name),
    local,
    async () => {},
  )
  return {
    ...fleet,
    store: { find: (artifact) => made.make(artifact), ensure: (artifact) => made.make(artifact) },
    registries: new SimulatedRegistries(() => simulated.hosts),
  }
}
