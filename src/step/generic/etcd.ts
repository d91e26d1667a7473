import { hostLayout } from '../../config/index.ts'
import { type Command, sh } from '../../runner/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { lastLines } from '../../util/last-lines.ts'
import { authorityPaths, certificatePaths } from './certificate.ts'

/** The service of a member that kubexm runs. */
export const etcdService = 'etcd.service'

/**
 * etcdctl on a member, with the administrator's certificate. Told by variables: it refuses an argument that the environment has an
 * opinion on too.
 */
export function etcdctl(endpoints: readonly string[], ...words: readonly string[]): Command {
  const { cert, key } = certificatePaths('etcd-admin')
  const { cert: authority } = authorityPaths('etcd', 'etcd-member')
  return sh`ETCDCTL_ENDPOINTS=${endpoints.join(',')} ETCDCTL_CACERT=${authority} ETCDCTL_CERT=${cert} ETCDCTL_KEY=${key} ${hostLayout.programs}/etcdctl ${words}`
}

/** A member that does not answer, and what was said about it. */
export interface Unhealthy {
  readonly endpoint: string
  readonly why: string
}

/** The members that do not answer a read that takes a majority, or whose data is in danger; empty when all is well. */
export async function unhealthyMembers(ctx: StepContext, endpoints: readonly string[]): Promise<readonly Unhealthy[]> {
  const question = etcdctl(endpoints, 'endpoint', 'health', '--write-out=json', '--dial-timeout=2s', '--command-timeout=3s')
  const { stdout, stderr } = await ctx.on.run(question, { ok: 'any' })
  const answers = parseHealth(stdout)
  if (answers === null) return endpoints.map((endpoint) => ({ endpoint, why: lastLines(stderr, 1) || 'etcdctl said nothing' }))
  return answers.filter(({ health }) => !health).map(({ endpoint, error = 'no answer' }) => ({ endpoint, why: error.trim() }))
}

interface Health {
  readonly endpoint: string
  readonly health: boolean
  readonly error?: string
}

function parseHealth(text: string): readonly Health[] | null {
  try {
    return JSON.parse(text) as readonly Health[]
  } catch {
    // Without the files it needs etcdctl says so and asks nobody.
    return null
  }
}

/** The last lines of a member's log, without what only machines read. */
export async function etcdLog(ctx: StepContext, lines = 15): Promise<string> {
  const { stdout } = await ctx.on.run(sh`journalctl --no-pager -q -o cat -n ${lines} -u ${etcdService}`, { ok: 'any' })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => readable(line))
    .join('\n')
}

/** etcd logs one JSON object a line: its level, its message and the error are what a person wants of it. */
function readable(line: string): string {
  try {
    const { level, msg, error } = JSON.parse(line) as { readonly [key: string]: unknown }
    return [level, msg, error].filter((part) => typeof part === 'string').join(': ') || line
  } catch {
    // systemd and a program that dies early speak plainly.
    return line
  }
}
