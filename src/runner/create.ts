import type { Connection } from '../connector/index.ts'
import { fail } from '../error/index.ts'
import { Secret } from '../util/secret.ts'
import type { HostName } from '../util/where.ts'
import type { Command } from './command.ts'
import type { Sudo } from './elevation.ts'
import { files } from './files.ts'
import { gatherFacts } from './gather-facts.ts'
import { type Hands, hands, plainer, seenIn } from './hands.ts'
import { type HostShell, hostShell } from './host-shell.ts'
import { inspect } from './inspect.ts'
import { kernel } from './kernel.ts'
import { packages } from './packages.ts'
import type { Output, Runner, RunOptions, Scope } from './runner.ts'
import { services } from './services.ts'
import { system } from './system.ts'
import { users } from './users.ts'

/** What a runner is made of. */
export interface RunnerOptions {
  readonly host: HostName
  readonly connection: Connection
  /** How root is reached where the login is not root (default: sudo without a password). */
  readonly sudo?: Sudo
  /** The circumstances until `bind` gives others. */
  readonly scope?: Scope
}

/** Makes the runner of a real machine. */
export function createRunner({ host, connection, sudo = {}, scope }: RunnerOptions): Runner {
  return runnerOn(hostShell(host, connection, sudo), scope ?? { signal: new AbortController().signal })
}

function runnerOn(shell: HostShell, scope: Scope): Runner {
  const own = hands(shell, scope)
  return {
    host: shell.host,
    run: async (command, options = {}) => await run(own, command, options),
    inspect: async (probes) => await inspect(own, probes),
    facts: async () => await gatherFacts(own),
    files: files(own),
    services: services(own),
    packages: packages(own),
    users: users(own),
    kernel: kernel(own),
    system: system(own),
    bind: (other) => runnerOn(shell, other),
  }
}

async function run(own: Hands, command: Command, { stdin, ok = [0] }: RunOptions): Promise<Output> {
  const input = stdin instanceof Secret ? stdin.reveal() : stdin
  const answer = await own.change(command, { ...(input === undefined ? {} : { stdin: input }) })
  if (ok !== 'any' && !ok.includes(answer.code)) {
    const seen = seenIn(answer)
    throw plainer(fail('KX_COMMAND', { command: shortened(command), code: answer.code }, { where: { host: own.host }, seen }))
  }
  return {
    code: answer.code,
    stdout: answer.stdout.toString(),
    stderr: answer.stderr,
    ...(answer.truncated ? { truncated: true } : {}),
  }
}

/** The first line of a command, cut to what fits on a screen. */
function shortened(command: string): string {
  const line = command.trim().split('\n')[0] ?? ''
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}
