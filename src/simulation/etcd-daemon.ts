import { sha256 } from '../util/hash.ts'
import type { EtcdMember } from './cluster-state.ts'
import { Content } from './content.ts'
import { healthyMembers } from './control-plane.ts'
import { flag, portsOfUrls } from './daemon.ts'
import { makeDirectory, readText, writeFile } from './files.ts'
import type { ClusterAccess, DaemonModel, DaemonOutcome, DaemonStart, HostState } from './state.ts'
import { entryAt } from './tree.ts'

/** How one member is set up: from flags, from the environment, or from a configuration file. */
interface Setup {
  readonly name: string
  readonly dataDir: string
  readonly peerUrl: string
  readonly clientUrl: string
  readonly initial: readonly { readonly name: string; readonly peerUrl: string }[]
  readonly fresh: boolean
}

/** The number etcd would give a member of this name and address. */
export const memberId = (name: string, peerUrl: string): string => sha256(`member ${name} ${peerUrl}`).slice(0, 16)

function readSetup({ argv, environment, state }: DaemonStart): Setup {
  const file = readText(state, flag(argv, 'config-file') ?? environment.ETCD_CONFIG_FILE ?? '/nothing') ?? ''
  const given = (name: string): string | null =>
    flag(argv, name) ??
    environment[`ETCD_${name.toUpperCase().replaceAll('-', '_')}`] ??
    new RegExp(`^${name}:\\s*['"]?([^'"\\n]*)`, 'm').exec(file)?.[1]?.trim() ??
    null
  const name = given('name') ?? 'default'
  const peerUrl = given('initial-advertise-peer-urls') ?? `http://${state.machine.address}:2380`
  const initial = (given('initial-cluster') ?? `${name}=${peerUrl}`).split(',').map((part) => {
    const [member = '', ...url] = part.split('=')
    return { name: member, peerUrl: url.join('=') }
  })
  return {
    name,
    dataDir: given('data-dir') ?? `/${name}.etcd`,
    peerUrl,
    clientUrl: given('advertise-client-urls') ?? `http://${state.machine.address}:2379`,
    initial,
    fresh: (given('initial-cluster-state') ?? 'new') === 'new',
  }
}

/** etcd as a service: it forms a cluster, joins one, or comes back with the data it has. */
export const etcdDaemon: DaemonModel = (start) => {
  const setup = readSetup(start)
  const { cluster } = start.state.machine
  const listens = [...portsOfUrls(flag(start.argv, 'listen-client-urls'), 2379), ...portsOfUrls(flag(start.argv, 'listen-peer-urls'), 2380)]
  const state = withData(start.state, setup)
  if (cluster === null) return { listens, state }
  const refusal = enter(cluster, start.state, setup)
  return refusal ?? { listens, state }
}

function withData(state: HostState, { dataDir, name }: Setup): HostState {
  if (entryAt(state.root, `${dataDir}/member`) !== null) return state
  const made = entryAt(state.root, dataDir) === null ? makeDirectory(state, dataDir, { mode: '0700' }) : state
  return writeFile(made, `${dataDir}/member/snap/db`, new Content(`simulated etcd data of ${name}\n`), { mode: '0600' })
}

/** Makes the member part of the cluster, or says why it cannot be. */
function enter(cluster: ClusterAccess, state: HostState, setup: Setup): DaemonOutcome | null {
  const { members } = cluster.state
  const host = state.machine.name
  const known = members.find((member) => member.peerUrl === setup.peerUrl)
  const hasData = entryAt(state.root, `${setup.dataDir}/member`) !== null
  const started = (member: EtcdMember): EtcdMember =>
    member.peerUrl === setup.peerUrl ? { ...member, name: setup.name, clientUrl: setup.clientUrl, host } : member
  if (known !== undefined) {
    // A member that comes back without its data would vote twice for the same things.
    if (known.host === host && !hasData && setup.fresh && healthyMembers(cluster, state).length > 0)
      return { dies: `member ${known.id} has already been bootstrapped` }
    cluster.state = { ...cluster.state, members: members.map(started) }
    return null
  }
  if (hasData && members.length > 0) return { dies: 'the member has been permanently removed from the cluster' }
  if (!setup.initial.some(({ name }) => name === setup.name))
    return { dies: `couldn't find local name "${setup.name}" in the initial cluster configuration` }
  if (!setup.fresh) return { dies: 'error validating peerURLs: member count is unequal' }
  if (members.length > 0) return { dies: 'request cluster ID mismatch' }
  const initial = setup.initial.map(({ name, peerUrl }) => ({ id: memberId(name, peerUrl), name, peerUrl, clientUrl: '', host: null }))
  cluster.state = { ...cluster.state, members: initial.map(started) }
  return null
}
