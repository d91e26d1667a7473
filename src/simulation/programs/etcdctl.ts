import type { Output } from '../../runner/index.ts'
import type { EtcdMember, KubeObject } from '../cluster-state.ts'
import { Content } from '../content.ts'
import { hasQuorum, healthyMembers } from '../control-plane.ts'
import { memberId } from '../etcd-daemon.ts'
import { readText, writeFile } from '../files.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { refuse } from '../refusal.ts'
import { type ClusterAccess, processesOf } from '../state.ts'
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

/** etcd's client: on a host, or in the pod of a member. */
export const etcdctl: ProgramModel = (argv, ctx) => {
  const { flags, values, operands } = words(argv, withValue)
  const given = (name: string): string | undefined => values.get(name) ?? ctx.environment[`ETCDCTL_${name.slice(2).toUpperCase()}`]
  const proofs = ['--cacert', '--cert', '--key'].map(given)
  for (const path of proofs)
    if (path !== undefined && entryAt(ctx.state.root, path) === null)
      return complains(`Error: open ${path}: no such file or directory`, 128)
  const [noun = '', verb = '', ...rest] = operands
  const json = (values.get('-w') ?? values.get('--write-out')) === 'json'
  if (noun === 'version') return says('etcdctl version: 3.5.21\nAPI version: 3.5\n')
  if (noun === 'snapshot' && verb === 'restore') return restore(ctx, rest[0] ?? '', values.get('--data-dir') ?? '')
  const cluster = reachable(ctx)
  if (noun === 'endpoint')
    return endpoints(ctx, cluster, {
      asked: flags.has('--cluster') ? null : (given('--endpoints') ?? '127.0.0.1:2379').split(','),
      trusted: !proofs.includes(undefined),
      json,
      verb,
    })
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

interface Question {
  /** Null: every member that is known. */
  readonly asked: readonly string[] | null
  /** A certificate is shown, and the other side's can be checked. */
  readonly trusted: boolean
  readonly json: boolean
  /** `health` or `status`. */
  readonly verb: string
}

/** Each endpoint by the host its address belongs to; 127.0.0.1 is the host itself. */
function endpoints(ctx: ProgramContext, cluster: ClusterAccess, { asked, trusted, json, verb }: Question): Output {
  const healthy = healthyMembers(cluster, ctx.state)
  const wanted = asked ?? cluster.state.members.flatMap(({ clientUrl }) => (clientUrl === '' ? [] : [clientUrl]))
  if (verb === 'status') return tellStatus(ctx, cluster, wanted, trusted)
  const answers = wanted.map((endpoint) => {
    const member = healthy.find((one) => serves(ctx, one, endpoint))
    const why =
      member?.clientUrl.startsWith('https') === true && !trusted
        ? 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
        : 'context deadline exceeded'
    const health = member !== undefined && hasQuorum(cluster, ctx.state) && (trusted || !member.clientUrl.startsWith('https'))
    return { endpoint, health, took: '2ms', ...(health ? {} : { error: why }) }
  })
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

/** What each member that answers says of itself; the others are complained about. The first healthy one leads. */
function tellStatus(ctx: ProgramContext, cluster: ClusterAccess, wanted: readonly string[], trusted: boolean): Output {
  const healthy = healthyMembers(cluster, ctx.state)
  const number = (member: EtcdMember | undefined): number => (member === undefined ? 0 : Number.parseInt(member.id.slice(0, 12), 16))
  const leader = hasQuorum(cluster, ctx.state) ? number(healthy[0]) : 0
  const answers = wanted.map((endpoint) => ({
    endpoint,
    member: healthy.find((one) => serves(ctx, one, endpoint) && (trusted || !one.clientUrl.startsWith('https'))),
  }))
  const silent = answers.filter(({ member }) => member === undefined)
  const told = answers.flatMap(({ endpoint, member }) =>
    member === undefined
      ? []
      : [
          {
            Endpoint: endpoint,
            Status: { header: { member_id: number(member) }, version: '3.5.21', dbSize: 20_480 + objectBytes(cluster), leader },
          },
        ],
  )
  const stderr = silent.map(({ endpoint }) => `Failed to get the status of endpoint ${endpoint} (context deadline exceeded)\n`).join('')
  return { code: silent.length === 0 ? 0 : 1, stdout: `${JSON.stringify(told)}\n`, stderr }
}

const objectBytes = (cluster: ClusterAccess): number => 1024 * cluster.state.objects.size

function serves(ctx: ProgramContext, member: EtcdMember, endpoint: string): boolean {
  const place = new URL(/^https?:/.test(endpoint) ? endpoint : `http://${endpoint}`)
  const own = new URL(member.clientUrl)
  const isHere = place.hostname === '127.0.0.1' || place.hostname === 'localhost'
  return place.port === own.port && (isHere ? member.host === ctx.state.machine.name : [own.hostname, member.name].includes(place.hostname))
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

/** `kubexm-etcd-health URL[=name:port:address]…`, with the CA, a certificate and its key on standard input: what curl says of each one's /health. */
const askHealth: ProgramModel = (argv, ctx) => {
  const trusted = ctx.stdin.split('\0').filter((file) => file !== '').length === 3
  return says(
    argv
      .slice(1)
      .map((asked) => asked.split('='))
      .map(([endpoint = '', pin]) => `${endpoint}\t${healthOf(endpoint, pin?.split(':').slice(2).join(':'), trusted, ctx)}\n`)
      .join(''),
  )
}

function healthOf(endpoint: string, address: string | undefined, trusted: boolean, ctx: ProgramContext): string {
  const { hostname, port, protocol } = new URL(endpoint)
  const peer = ctx.cluster?.peerAt(address ?? hostname.replace(/^\[|\]$/g, '')) ?? null
  // As elsewhere, an etcd that is not part of the fleet is taken to be well.
  if (peer === null && ctx.cluster?.state.members.length === 0) return '0\t{"health":"true","reason":""} 200'
  if (ctx.cluster === null || peer === null) return '28\tcurl: (28) Connection timed out after 3000 milliseconds 000'
  const listens = processesOf(peer).some((process) => process.listens.some((one) => one.port === Number(port)))
  const member = healthyMembers(ctx.cluster, ctx.state).find((one) => one.host === peer.machine.name)
  if (!listens || member === undefined) return `7\tcurl: (7) Failed to connect to ${hostname} port ${port}: Connection refused 000`
  if (!member.clientUrl.startsWith(protocol)) return '52\tcurl: (52) Empty reply from server 000'
  if (protocol === 'https:' && !trusted) return '60\tcurl: (60) SSL certificate problem: unable to get local issuer certificate 000'
  return hasQuorum(ctx.cluster, ctx.state) ? '0\t{"health":"true","reason":""} 200' : '0\t{"health":"false","reason":"RAFT NO LEADER"} 503'
}

/** etcd's own command line, under both of its names. */
export function registerEtcdctl(table: ProgramTable): void {
  table.register('kubexm-etcd-health', askHealth)
  table.register('etcdctl', etcdctl, { needsFile: true })
  table.register('etcdutl', etcdctl, { needsFile: true })
}
