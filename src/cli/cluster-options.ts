import { type Command, InvalidArgumentError } from 'commander'

/** The options every command that works on a cluster has. */
export interface ClusterOptions {
  readonly file: string
  readonly output: 'text' | 'json'
  readonly limit: readonly string[]
  readonly rehearse: boolean
  readonly directory: string
}

/** The options of commands that change a cluster. */
export interface ChangeOptions extends ClusterOptions {
  readonly dryRun: boolean
  readonly planOut?: string
  readonly plan?: string
  readonly yes: boolean
  readonly resume: boolean
  readonly rollbackOnFailure: boolean
  readonly parallel?: number
  readonly verbose: boolean
  readonly logFile?: string
  readonly eventFile?: string
  readonly metricsPort?: number
  readonly metricsTextfile?: string
}

/** Which cluster, and how the answer looks. */
export const withClusterOptions = (command: Command, ...formats: readonly string[]): Command =>
  command
    .requiredOption('-f, --file <file>', 'config of the cluster')
    .option('-o, --output <format>', ['text', 'json', ...formats].join(', '), oneOf('text', 'json', ...formats), 'text')
    .option('--limit <hosts...>', 'only these hosts', [])
    .option('--rehearse', 'on simulated hosts: nothing real is touched', false)
    .option('--directory <directory>', 'where .kubexm is kept', process.cwd())

/** How a change is made. */
export const withChangeOptions = (command: Command): Command =>
  withClusterOptions(command)
    .option('--dry-run', 'look what would change on every host, change nothing; exit code 20 when something would', false)
    .option('--plan-out <file>', 'save the plan for review and stop')
    .option('--plan <file>', 'do only what this saved plan says; refused when config or hosts have moved')
    .option('--yes', 'do not ask', false)
    .option('--resume', 'continue the run that was interrupted or failed', false)
    .option('--rollback-on-failure', 'undo the task that failed', false)
    .option('--parallel <n>', 'how many steps at once', wholeNumber)
    .option('-v, --verbose', 'show what commands print', false)
    .option('--log-file <file>', 'write a JSON log')
    .option('--event-file <file>', 'record every event, for replay')
    .option('--metrics-port <port>', 'serve Prometheus metrics on loopback while running', wholeNumber)
    .option('--metrics-textfile <file>', 'write Prometheus metrics at the end')

/** An option's value out of a few. */
export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: string): T => {
    const found = values.find((known) => known === value)
    if (found === undefined) throw new InvalidArgumentError(`it must be ${values.join(' or ')}`)
    return found
  }

/** A number above zero. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('it must be a whole number above zero')
  return Number(value)
}
