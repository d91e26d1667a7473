import type { Output } from '../../runner/index.ts'
import type { EtcdMember, KubeObject } from '../cluster-state.ts'
import { Content } from '../content.ts'
import { hasQuorum, healthyMembers } from '../control-plane.ts'
import { memberId } from '../etcd-daemon.ts'
import { readText, writeFile } from '../files.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { refuse } from '../refusal.ts'
import type { ClusterAccess } from '../state.ts'
import { entryAt } from '../tree.ts'
import { words } from './words.ts'

const withValue = [
  '--endpoints',
  '--cacert',
  '--cert',
  '--key',
  '-w',
  '--write-out',
  '--peer-urls',
  '--data-dir',
  '--name',
  '--initial-cluster',
  '--initial-advertise-peer-urls',
  '--initial-cluster-token',
  '--dial-timeout',
  '--command-timeout',
]

const etcdctl: ProgramModel = (argv, ctx) => {
  const { flags, values, operands } = words(argv, withValue)
  for (const file of ['--cacert', '--cert', '--key']) {
    const path = values.get(file) ?? ctx.environment[`ETCDCTL_${file.slice(2).toUpperCase()}`]
    if (path !== undefined && entryAt(ctx.state.root, path) === null)
      return complains(`Error: open ${path}: no such file or directory`, 128)
  }
  const [noun = '', verb = '', ...rest] = operands
  const json = (values.get('-w') ?? values.get('--write-out')) === 'json'
  if (noun === 'version') return says('etcdctl version: 3.5.21\nAPI version: 3.5\n')
  if (noun === 'snapshot' && verb === 'restore') return restore(ctx, rest[0] ?? '', values.get('--data-dir') ?? '')
  const cluster = reachable(ctx)
  if (noun === 'endpoint')
    return endpoints(
      ctx,
      cluster,
      values.get('--endpoints') ?? ctx.environment.ETCDCTL_ENDPOINTS ?? '127.0.0.1:2379',
      flags.has('--cluster'),
      json,
    )
  if (noun === 'member' && verb === 'list') return listMembers(cluster, json)
  if (!hasQuorum(cluster, ctx.state)) throw refuse('Error: context deadline exceeded')
  if (noun === 'member' && verb === 'add') return addMember(ctx, cluster, rest[0] ?? '', values.get('--peer-urls') ?? '')
  if (noun === 'member' && verb === 'remove') return removeMember(cluster, rest[0] ?? '')
  if (noun === 'snapshot' && verb === 'save') return save(ctx, cluster, rest[0] ?? '')
  if (noun === 'snapshot' && verb === 'status')
    return readText(ctx.state, rest[0] ?? '') === null
      ? complains(`Error: stat ${rest[0]}: no such file or directory`, 128)
      : says('simulated, 1, 1, 25 kB\n')
  return complains(`Error: the simulated etcdctl does not know: ${operands.join(' ')}`)
}

function reachable(ctx: ProgramContext): ClusterAccess {
  if (ctx.cluster === null || healthyMembers(ctx.cluster, ctx.state).length === 0) throw refuse('Error: context deadline exceeded')
  return ctx.cluster
}

/** Each endpoint by the host its address belongs to; 127.0.0.1 is the host itself. */
function endpoints(ctx: ProgramContext, cluster: ClusterAccess, given: string, all: boolean, json: boolean): Output {
  const healthy = healthyMembers(cluster, ctx.state)
  const wanted = all ? cluster.state.members.map(({ clientUrl }) => clientUrl) : given.split(',')
  const answers = wanted.map((endpoint) => ({
    endpoint,
    health: hasQuorum(cluster, ctx.state) && healthy.some((member) => serves(ctx, member, endpoint)),
  }))
  const code = answers.every(({ health }) => health) ? 0 : 1
  if (json) return { code, stdout: `${JSON.stringify(answers)}\n`, stderr: '' }
  const line = (endpoint: string, health: boolean): string =>
    `${endpoint} is ${health ? 'healthy: successfully committed proposal: took = 2ms' : 'unhealthy: failed to commit proposal: context deadline exceeded'}\n`
  return {
    code,
    stdout: answers.map(({ endpoint, health }) => line(endpoint, health)).join(''),
    stderr: code === 0 ? '' : 'Error: unhealthy cluster\n',
  }
}

function serves(ctx: ProgramContext, member: EtcdMember, endpoint: string): boolean {
  const address = endpoint.replace(/^https?:\/\//, '').replace(/:\d+$/, '')
  if (address === '127.0.0.1' || address === 'localhost') return member.host === ctx.state.machine.name
  return member.clientUrl.includes(`${address}:`) || member.name === address
}

function listMembers(cluster: ClusterAccess, json: boolean): Output {
  const { members } = cluster.state
  if (json)
    return says(
      `${JSON.stringify({ members: members.map(({ id, name, peerUrl, clientUrl }) => ({ ID: Number.parseInt(id.slice(0, 12), 16), name, peerURLs: [peerUrl], clientURLs: clientUrl === '' ? [] : [clientUrl] })) })}\n`,
    )
  return says(
    members
      .map(
        ({ id, name, peerUrl, clientUrl, host }) =>
          `${id}, ${host === null ? 'unstarted' : 'started'}, ${name}, ${peerUrl}, ${clientUrl}, false\n`,
      )
      .join(''),
  )
}

function addMember(ctx: ProgramContext, cluster: ClusterAccess, name: string, peerUrl: string): Output {
  const { members } = cluster.state
  if (members.some((member) => member.peerUrl === peerUrl)) throw refuse('Error: etcdserver: Peer URLs already exists')
  // etcd refuses to grow while that would cost it its majority.
  if (healthyMembers(cluster, ctx.state).length < members.length)
    throw refuse('Error: etcdserver: re-configuration failed due to not enough started members')
  const id = memberId(name, peerUrl)
  cluster.state = { ...cluster.state, members: [...members, { id, name: '', peerUrl, clientUrl: '', host: null }] }
  const initial = [...members.map((member) => `${member.name}=${member.peerUrl}`), `${name}=${peerUrl}`].join(',')
  return says(
    `Member ${id} added to cluster\n\nETCD_NAME="${name}"\nETCD_INITIAL_CLUSTER="${initial}"\nETCD_INITIAL_CLUSTER_STATE="existing"\n`,
  )
}

function removeMember(cluster: ClusterAccess, id: string): Output {
  const { members } = cluster.state
  if (!members.some((member) => member.id === id)) throw refuse(`Error: etcdserver: member not found`)
  cluster.state = { ...cluster.state, members: members.filter((member) => member.id !== id) }
  return says(`Member ${id} removed from cluster\n`)
}

function save(ctx: ProgramContext, cluster: ClusterAccess, path: string): Output {
  const text = JSON.stringify({ objects: [...cluster.state.objects], version: cluster.state.version })
  ctx.state = writeFile(ctx.state, path, new Content(text), { mode: '0600' })
  return says(`Snapshot saved at ${path}\n`)
}

/** The data directory must be new; what the snapshot held comes back with the members that start on it. */
function restore(ctx: ProgramContext, path: string, dataDir: string): Output {
  const text = readText(ctx.state, path)
  if (text === null) throw refuse(`Error: open ${path}: no such file or directory`)
  if (entryAt(ctx.state.root, dataDir) !== null) throw refuse(`Error: data-dir "${dataDir}" not empty or could not be read`)
  ctx.state = writeFile(ctx.state, `${dataDir}/member/snap/db`, new Content(text), { mode: '0600' })
  if (ctx.cluster !== null) {
    const { objects, version }: { objects: [string, KubeObject][]; version: string | null } = JSON.parse(text)
    ctx.cluster.state = { ...ctx.cluster.state, objects: new Map(objects), version }
  }
  return says()
}

/** etcd's own command line, under both of its names. */
export function registerEtcdctl(table: ProgramTable): void {
  table.register('etcdctl', etcdctl, { needsFile: true })
  table.register('etcdutl', etcdctl, { needsFile: true })
}
