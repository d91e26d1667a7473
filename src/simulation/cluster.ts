import { type ClusterState, emptyCluster } from './cluster-state.ts'
import type { ClusterAccess, HostState } from './state.ts'

/** A host as the rest of the cluster sees it. */
export interface ClusterHost {
  readonly name: string
  readonly state: HostState
  readonly reachable: boolean
}

/** The API server and etcd of a simulated fleet: what they hold, and the hosts they run on. */
export class SimulatedCluster implements ClusterAccess {
  state: ClusterState = emptyCluster
  readonly #hosts = new Map<string, ClusterHost>()
  readonly #byAddress = new Map<string, string>()

  /** Makes a host part of the fleet; whether it is a node is another matter. */
  attach(host: ClusterHost): void {
    this.#hosts.set(host.name, host)
    const { address, otherAddresses } = host.state.machine
    for (const own of [address, ...otherAddresses]) this.#byAddress.set(own, host.name)
  }

  peer(name: string): HostState | null {
    const host = this.#hosts.get(name)
    return host?.reachable === true ? host.state : null
  }

  peerAt(address: string): HostState | null {
    const name = this.#byAddress.get(address)
    return name === undefined ? null : this.peer(name)
  }
}
