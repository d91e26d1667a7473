import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { type HostState, processesOf } from '../state.ts'
import { firewallOf } from '../system.ts'

/** A script given to `bash -c` is known by the name it is given as `$0`: how it works does not matter here, only what it is for. */
const bash: ProgramModel = (argv, ctx) => {
  const [, flag, , name, ...rest] = argv
  return flag === '-c' && name !== undefined
    ? ctx.call([name, ...rest])
    : complains('bash: the simulated host has no model of this script', 127)
}

/** `kubexm-connect ADDRESS/PORT…`: what comes of a connection to each. */
const connect: ProgramModel = (argv, ctx) =>
  says(
    argv
      .slice(1)
      .map((target) => `${target} ${wayTo(target, ctx)}\n`)
      .join(''),
  )

function wayTo(target: string, { state, cluster }: ProgramContext): string {
  const at = target.lastIndexOf('/')
  const [address, port] = [target.slice(0, at), Number(target.slice(at + 1))]
  // A host that is alone knows nothing of what is around it.
  if (cluster === null) return 'unknown'
  const peer = cluster.peerAt(address)
  if (peer !== null) return listens(peer, port) ? 'open' : blocks(peer) ? 'unreachable' : 'refused'
  // Addresses nobody has stay silent; a name is somewhere on the internet.
  return /^[\d.]+$|:/.test(address) ? 'timeout' : state.internet ? 'open' : 'unresolved'
}

const listens = (state: HostState, port: number): boolean =>
  processesOf(state).some(({ listens }) => listens.some((one) => one.protocol === 'tcp' && one.port === port)) && !blocks(state)

const blocks = (state: HostState): boolean => firewallOf(state).active

/** `kubexm-dns ADDRESS…`: the name servers that answer. */
const dns: ProgramModel = (argv, { state }) =>
  says(
    state.internet
      ? argv
          .slice(1)
          .map((server) => `${server}\n`)
          .join('')
      : '',
  )

/** `kubexm-release-address ADDRESS PROGRAM`: nothing that runs in a container is simulated, so there is nobody to end and nothing to take away. */
const releaseAddress: ProgramModel = () => says()

/** What a host finds when it asks around. */
export function registerNetworkPrograms(table: ProgramTable): void {
  table
    .register('bash', bash)
    .register('kubexm-connect', connect)
    .register('kubexm-dns', dns)
    .register('kubexm-release-address', releaseAddress)
}
