import { type Cluster, type ClusterHost, hostsOf } from '../config/index.ts'
import type { KubexmError } from '../error/index.ts'
import { asKubexmError, fail } from '../error/index.ts'
import { type Runner, unknownFacts } from '../runner/index.ts'
import type { Host } from '../runtime/index.ts'
import type { HostName } from '../util/where.ts'
import type { MayLose } from './tolerance.ts'

/** The machines of a cluster, reached: real ones by SSH, or simulated ones. */
export interface Fleet extends AsyncDisposable {
  /** Also those that are given up: others name them in their files. Nothing is known of them but what the config says. */
  readonly hosts: readonly Host[]
  /** The hosts that cannot be reached and need not be, each with the reason. */
  readonly lost: ReadonlyMap<HostName, KubexmError>
  /** `local` is the machine kubexm runs on. */
  runner(host: HostName): Runner
}

/** Makes the runner of one host. */
export type Reach = (host: ClusterHost) => Promise<Runner>

/** Which hosts, and which of them the run may do without. */
export interface FleetWish {
  /** Only these hosts; empty: all. */
  readonly only: readonly HostName[]
  /** By default none. */
  readonly mayLose?: MayLose
}

/** Connects to every host at once and gathers its facts. All hosts that cannot be reached are named together. */
export async function gatherFleet(
  cluster: Cluster,
  { only, mayLose = () => false }: FleetWish,
  reach: Reach,
  local: Runner,
  dispose: () => Promise<void>,
): Promise<Fleet> {
  const wanted = hostsOf(cluster).filter((host) => only.length === 0 || only.includes(host.name))
  const unknown = only.filter((name) => !wanted.some((host) => host.name === name))
  if (unknown.length > 0)
    throw fail('KX_USAGE', { what: `--limit names ${unknown.join(', ')}, which is not a host of the config`, command: '' })
  const runners = new Map<HostName, Runner>([['local', local]])
  const outcomes = await Promise.allSettled(
    wanted.map(async (spec): Promise<Host> => {
      const runner = await reach(spec)
      runners.set(spec.name, runner)
      return { ...spec, facts: await runner.facts() }
    }),
  )
  const errors = outcomes.flatMap((outcome, i) =>
    outcome.status === 'rejected' ? [errorOf(outcome.reason, wanted[i] as ClusterHost)] : [],
  )
  const lost = new Map(errors.map((error) => [error.where.host ?? '', error]))
  if (errors.length > 0 && (errors.length === wanted.length || !mayLose(new Set(lost.keys())))) {
    await dispose()
    throw unreachable(errors, wanted.length)
  }
  return {
    hosts: outcomes.map((outcome, i) => (outcome.status === 'fulfilled' ? outcome.value : unknownHost(wanted[i] as ClusterHost))),
    lost,
    runner: (host) => {
      const runner = runners.get(host)
      const error = lost.get(host)
      if (error !== undefined) throw error
      if (runner === undefined) throw fail('KX_BUG', { what: `no connection was made to ${host}` })
      return runner
    },
    [Symbol.asyncDispose]: dispose,
  }
}

const unknownHost = (spec: ClusterHost): Host => ({ ...spec, facts: unknownFacts(spec.name, spec.arch) })

const errorOf = (reason: unknown, host: ClusterHost): KubexmError => asKubexmError(reason).at({ host: host.name })

/** One host that cannot be reached is its own error; several are told as one, each with its reason. */
function unreachable(errors: readonly KubexmError[], total: number): KubexmError {
  const [first, second] = errors
  if (first !== undefined && second === undefined) return first
  const lines = errors.map((error) => `${error.where.host ?? ''}: ${error.code} ${error.message}\n  Fix: ${error.fix}`)
  return fail('KX_HOSTS_UNREACHABLE', { count: errors.length, total }, { seen: lines.join('\n') })
}
