import { type Cluster, type ClusterHost, hostsOf } from '../config/index.ts'
import type { KubexmError } from '../error/index.ts'
import { asKubexmError, fail } from '../error/index.ts'
import type { Runner } from '../runner/index.ts'
import type { Host } from '../runtime/index.ts'
import type { HostName } from '../util/where.ts'

/** The machines of a cluster, reached: real ones by SSH, or simulated ones. */
export interface Fleet extends AsyncDisposable {
  readonly hosts: readonly Host[]
  /** `local` is the machine kubexm runs on. */
  runner(host: HostName): Runner
}

/** Makes the runner of one host. */
export type Reach = (host: ClusterHost) => Promise<Runner>

/** Connects to every host at once and gathers its facts. All hosts that cannot be reached are named together. */
export async function gatherFleet(
  cluster: Cluster,
  only: readonly HostName[],
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
  if (errors.length > 0) {
    await dispose()
    throw unreachable(errors, wanted.length)
  }
  return {
    hosts: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    runner: (host) => {
      const runner = runners.get(host)
      if (runner === undefined) throw fail('KX_BUG', { what: `no connection was made to ${host}` })
      return runner
    },
    [Symbol.asyncDispose]: dispose,
  }
}

const errorOf = (reason: unknown, host: ClusterHost): KubexmError => asKubexmError(reason).at({ host: host.name })

/** One host that cannot be reached is its own error; several are told as one, each with its reason. */
function unreachable(errors: readonly KubexmError[], total: number): KubexmError {
  const [first, second] = errors
  if (first !== undefined && second === undefined) return first
  const lines = errors.map((error) => `${error.where.host ?? ''}: ${error.code} ${error.message}\n  Fix: ${error.fix}`)
  return fail('KX_HOSTS_UNREACHABLE', { count: errors.length, total }, { seen: lines.join('\n') })
}
