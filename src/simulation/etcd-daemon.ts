import { sha256 } from '../util/hash.ts'
import type { EtcdMember } from './cluster-state.ts'
import { Content } from './content.ts'
import { healthyMembers } from './control-plane.ts'
import { flag, portsOfUrls } from './daemon.ts'
import { makeDirectory, readText, writeFile } from './files.ts'
import type { ClusterAccess, DaemonModel, DaemonOutcome, DaemonStart, HostState } from './state.ts'
import { entryAt } from './tree.ts'
import { portTaken } from './unit-process.ts'

/** How one member is set up: from flags, from the environment, or from a configuration file. */
interface Setup {
  readonly name: string
  readonly dataDir: string
  readonly peerUrl: string
  readonly clientUrl: string
  readonly initial: readonly { readonly name: string; readonly peerUrl: string }[]
  readonly fresh: boolean
  readonly user: string
}

/** The number etcd would give a member of this name and address. */
export const memberId = (name: string, peerUrl: string): string => sha256(`member ${name} ${peerUrl}`).slice(0, 16)

function readSetup({ argv, environment, state, user }: DaemonStart): Setup {
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
    user,
  }
}

/** etcd as a service: it forms a cluster, joins one, or comes back with the data it has. */
export const etcdDaemon: DaemonModel = (start) => {
  const setup = readSetup(start)
  const { cluster } = start.state.machine
  const denied = closedTo(start, setup)
  if (denied !== null) return { dies: `open ${denied}: permission denied` }
  const twice = Object.keys(start.environment).find(
    (key) =>
      flag(
        start.argv,
        key
          .replace(/^ETCD_/, '')
          .toLowerCase()
          .replaceAll('_', '-'),
      ) !== null,
  )
  if (twice !== undefined) return { dies: `conflicting environment variable is shadowed by corresponding command-line flag: ${twice}` }
  const listens = [...portsOfUrls(flag(start.argv, 'listen-client-urls'), 2379), ...portsOfUrls(flag(start.argv, 'listen-peer-urls'), 2380)]
  const taken = portTaken(start.state, listens)
  if (taken !== null) return { dies: `listen ${taken}: bind: address already in use` }
  const state = withData(start.state, setup)
  if (cluster === null) return { listens, state, isReady: () => setup.initial.length === 1 }
  const isReady = (): boolean => cluster.state.members.find(({ host }) => host === start.state.machine.name)?.published === true
  return enter(cluster, start.state, setup) ?? { listens, state, isReady }
}

/** The first file or directory it needs and may not use, being somebody else's; null where there is none. */
function closedTo({ argv, state }: DaemonStart, { user, dataDir }: Setup): string | null {
  if (user === 'root') return null
  const isClosed = (path: string, needs: 'file' | 'directory'): boolean => {
    const entry = entryAt(state.root, path)
    if (entry === null || entry.owner.split(':')[0] === user) return false
    return needs === 'directory' || (Number.parseInt(entry.mode, 8) & 0o004) === 0
  }
  const files = argv.filter((word) => /^--[a-z-]*file=\//.test(word)).map((word) => word.slice(word.indexOf('=') + 1))
  return isClosed(dataDir, 'directory') ? dataDir : (files.find((file) => isClosed(file, 'file')) ?? null)
}

function withData(state: HostState, { dataDir, name, user }: Setup): HostState {
  if (entryAt(state.root, `${dataDir}/member`) !== null) return state
  const owner = `${user}:${user}`
  const made = entryAt(state.root, dataDir) === null ? makeDirectory(state, dataDir, { mode: '0700', owner }) : state
  return writeFile(made, `${dataDir}/member/snap/db`, new Content(`simulated etcd data of ${name}\n`), { mode: '0600', owner })
}

/** Makes the member part of the cluster, or says why it cannot be. */
function enter(cluster: ClusterAccess, state: HostState, setup: Setup): DaemonOutcome | null {
  const { members } = cluster.state
  const host = state.machine.name
  const hasData = entryAt(state.root, `${setup.dataDir}/member`) !== null
  // Who it is a member with data knows from there, whatever it is told.
  const known = members.find((member) => (hasData && member.host !== null ? member.host === host : member.peerUrl === setup.peerUrl))
  const admit = (all: readonly EtcdMember[], id: string): null => {
    const { name, clientUrl, dataDir } = setup
    const started = all.map((member) => (member.id === id ? { ...member, name, clientUrl, dataDir, host } : member))
    cluster.state = { ...cluster.state, members: started }
    cluster.state = { ...cluster.state, members: publish(cluster, state, id) }
    return null
  }
  // Where no member has its data any more there is no cluster either.
  if (!members.some((member) => keepsData(cluster, state, member))) {
    if (!setup.initial.some(({ name }) => name === setup.name))
      return { dies: `couldn't find local name "${setup.name}" in the initial cluster configuration` }
    if (!setup.fresh) return { dies: 'error validating peerURLs: member count is unequal' }
    const initial = setup.initial.map(({ name, peerUrl }) => ({ id: memberId(name, peerUrl), name, peerUrl, clientUrl: '', host: null }))
    return admit(initial, memberId(setup.name, setup.peerUrl))
  }
  if (known !== undefined) {
    // A member that comes back without its data would vote twice for the same things.
    if (known.host === host && !hasData && setup.fresh && healthyMembers(cluster, state).length > 0)
      return { dies: `member ${known.id} has already been bootstrapped` }
    return admit(members, known.id)
  }
  if (hasData) return { dies: 'the member has been permanently removed from the cluster' }
  return { dies: setup.fresh ? 'request cluster ID mismatch' : 'error validating peerURLs: member count is unequal' }
}

/** Whether a member still has what it has stored; one that cannot be asked is taken to have it. */
function keepsData(cluster: ClusterAccess, seenBy: HostState, { host, dataDir }: EtcdMember): boolean {
  if (host === null) return false
  const state = host === seenBy.machine.name ? seenBy : cluster.peer(host)
  return state === null || dataDir === undefined || entryAt(state.root, `${dataDir}/member`) !== null
}

/** The members after one more has come up: as soon as there is a majority, all that are up become ready. */
function publish(cluster: ClusterAccess, state: HostState, comingUp: string): readonly EtcdMember[] {
  const { members } = cluster.state
  const up = new Set([comingUp, ...healthyMembers(cluster, state).map(({ id }) => id)])
  const majority = up.size > members.length / 2
  return members.map((member) => {
    if (member.id === comingUp) return { ...member, published: majority }
    return majority && up.has(member.id) ? { ...member, published: true } : member
  })
}
