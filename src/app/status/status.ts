import { type Ask, type Cluster, publicApiUrl } from '../../config/index.ts'
import { asKubexmError } from '../../error/index.ts'
import { EventBus } from '../../event/index.ts'
import { createPki, diskStore, memoryStore } from '../../pki/index.ts'
import { workPaths } from '../../runtime/index.ts'
import { systemClock } from '../../util/time.ts'
import { rehearsalFleet } from '../rehearsal-fleet.ts'
import { sshFleet } from '../ssh-fleet.ts'
import { lookAtApiServers } from './api-servers.ts'
import { lookAtCertificates } from './certificates.ts'
import { lookForDrift } from './drift.ts'
import { lookAtEtcd } from './etcd.ts'
import { lookAtNodes } from './nodes.ts'
import { lookAtPods } from './pods.ts'
import type { Surroundings } from './surroundings.ts'
import type { ClusterStatus } from './types.ts'

/** Which cluster is to be looked at, and from where. */
export interface StatusRequest {
  readonly cluster: Cluster
  /** Where `.kubexm/<cluster>` is. */
  readonly directory: string
  /** On simulated hosts. */
  readonly rehearse: boolean
  readonly only: readonly string[]
  readonly ask: Ask
  readonly cancel: AbortSignal
}

/** Reaches the hosts of a cluster and looks at all its parts; changes nothing, needs no lease. Hosts that cannot be reached are named. */
export async function clusterStatus(request: StatusRequest): Promise<ClusterStatus> {
  const { cluster, directory, rehearse, only, ask, cancel } = request
  const paths = workPaths(directory, cluster.metadata.name)
  const { redactor } = new EventBus()
  const mayLose = () => true
  try {
    await using fleet = rehearse
      ? await rehearsalFleet(cluster, { only, mayLose, latency: false })
      : await sshFleet(cluster, { paths, signal: cancel, only, mayLose, ask, onSecret: (value) => redactor.add(value) })
    const pki = createPki({ cluster, store: rehearse ? memoryStore() : diskStore(paths) })
    const runner = (host: string) => fleet.runner(host).bind({ signal: cancel })
    return await statusOf({ cluster, pki, clock: systemClock, hosts: fleet.hosts, lost: fleet.lost, runner })
  } catch (thrown) {
    throw redactor.error(asKubexmError(thrown))
  }
}

/** Looks at all parts of a cluster at once. */
export async function statusOf(around: Surroundings): Promise<ClusterStatus> {
  const { cluster, hosts, lost, clock } = around
  const { kubernetes, etcd } = cluster.spec
  const api = lookAtApiServers(around)
  const [{ apiServers }, members, nodes, pods, certificates, drift] = await Promise.all([
    api,
    lookAtEtcd(
      around,
      api.then((seen) => seen.apiServers),
    ),
    api.then(({ door }) => lookAtNodes(cluster, door)),
    api.then(({ door }) => lookAtPods(door)),
    lookAtCertificates(around),
    lookForDrift(around),
  ])
  return {
    cluster: cluster.metadata.name,
    type: kubernetes.type,
    version: kubernetes.version,
    endpoint: publicApiUrl(cluster),
    etcdType: etcd.type,
    at: new Date(clock.now()),
    hosts: hosts.map(({ name, address, roles }) => ({ name, address, roles, problem: lost.get(name)?.message ?? null })),
    apiServers,
    etcd: members,
    nodes,
    pods,
    certificates,
    drift,
  }
}
