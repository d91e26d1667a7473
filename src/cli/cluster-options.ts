import { type Command, InvalidArgumentError } from 'commander'
import type { SourceChoice } from '../app/index.ts'

/** Where artifacts come from; what is left out is taken from the environment, then from the config. */
export interface SourceOptions {
  readonly mirror?: string
  readonly registryMirror?: string
  readonly zone?: string
  readonly catalogue?: string
}

/** The options every command that works on a cluster has. */
export interface ClusterOptions extends SourceOptions {
  readonly file: string
  readonly output: 'text' | 'json'
  readonly limit: readonly string[]
  readonly rehearse: boolean
  readonly directory: string
  readonly bundle?: string
}

/** The options of commands that change a cluster. */
export interface ChangeOptions extends ClusterOptions {
  readonly dryRun: boolean
  readonly planOut?: string
  readonly plan?: string
  readonly yes: boolean
  readonly resume: boolean
  readonly rollbackOnFailure: boolean
  readonly maxFailed?: number
  readonly until?: string
  readonly parallel?: number
  readonly verbose: boolean
  readonly logFile?: string
  readonly eventFile?: string
  readonly metricsPort?: number
  readonly metricsTextfile?: string
  readonly detach: boolean
  readonly server?: string
}

/** Where artifacts come from. */
export const withSourceOptions = (command: Command): Command =>
  command
    .option('--mirror <url>', 'fetch files from a mirror: <url>/<host>/<path> (KUBEXM_MIRROR)')
    .option('--registry-mirror <[http://]host:port>', 'pull images from this registry instead of their own (KUBEXM_REGISTRY_MIRROR)')
    .option('--zone <zone>', 'fetch from the sources of a zone, such as cn (KMZONE)')
    .option('--catalogue <file>', 'catalogue file laid over the built-in one (default: ~/.kubexm/catalogue.yaml)')

/** The sources a command line names. */
export const sourcesOf = ({
  bundle,
  mirror,
  registryMirror,
  zone,
  catalogue,
}: SourceOptions & { readonly bundle?: string }): SourceChoice => ({
  ...(bundle === undefined ? {} : { bundle }),
  ...(mirror === undefined ? {} : { mirror }),
  ...(registryMirror === undefined ? {} : { registryMirror }),
  ...(zone === undefined ? {} : { zone }),
  ...(catalogue === undefined ? {} : { catalogue }),
})

/** Which cluster, and how the answer looks. */
export const withClusterOptions = (command: Command, ...formats: readonly string[]): Command =>
  withSourceOptions(command)
    .requiredOption('-f, --file <file>', 'config of the cluster')
    .option('-o, --output <format>', ['text', 'json', ...formats].join(', '), oneOf('text', 'json', ...formats), 'text')
    .option('--limit <hosts...>', 'only these hosts', [])
    .option('--rehearse', 'on simulated hosts: nothing real is touched', false)
    .option('--directory <directory>', 'where .kubexm is kept', process.cwd())
    .option('--bundle <file>', 'take every artifact from this bundle and ask nothing outside the fleet')

/** How a change is made. */
export const withChangeOptions = (command: Command): Command =>
  withClusterOptions(command)
    .option('--dry-run', 'look what would change on every host, change nothing; exit code 20 when something would', false)
    .option('--plan-out <file>', 'save the plan for review and stop')
    .option('--plan <file>', 'do only what this saved plan says; refused when config or hosts have moved')
    .option('--yes', 'do not ask', false)
    .option('--resume', 'continue the run that was interrupted or failed', false)
    .option('--rollback-on-failure', 'undo the task that failed', false)
    .option('--until <module>', 'stop when this part of the plan is done, such as node or runtime')
    .option('--max-failed <n>', 'go on with the other hosts as long as no more than this many fail (default: 0; delete: all)', wholeOrZero)
    .option('--parallel <n>', 'how many steps at once', wholeNumber)
    .option('-v, --verbose', 'show what commands print', false)
    .option('--log-file <file>', 'write a JSON log')
    .option('--event-file <file>', 'record every event, for replay')
    .option('--metrics-port <port>', 'serve Prometheus metrics on loopback while running', wholeNumber)
    .option('--metrics-textfile <file>', 'write Prometheus metrics at the end')
    .option('--detach', 'record the job, leave it to a worker and return', false)
    .option('--server <url>', 'send it to this API server (KUBEXM_SERVER), with the token in KUBEXM_TOKEN', process.env.KUBEXM_SERVER)

/** An option's value out of a few. */
export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: string): T => {
    const found = values.find((known) => known === value)
    if (found === undefined) throw new InvalidArgumentError(`it must be ${values.join(' or ')}`)
    return found
  }

/** A number, zero included. */
export const wholeOrZero = (value: string): number => (value === '0' ? 0 : wholeNumber(value))

/** A number above zero. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('it must be a whole number above zero')
  return Number(value)
}
