import type { Command } from 'commander'
import { examples } from './cluster-commands.ts'
import { oneOf, wholeNumber } from './cluster-options.ts'
import { type JobPlace, type ListOptions, type LogOptions, levels, type ResumeOptions, type ShowOptions, statuses } from './job-options.ts'

/** Where the jobs are. */
export const withJobPlace = (command: Command): Command =>
  command
    .option('--directory <directory>', 'where .kubexm and in it the job database is (KUBEXM_DATABASE_URL names another)', process.cwd())
    .option('--server <url>', 'ask this API server (KUBEXM_SERVER), with the token in KUBEXM_TOKEN', process.env.KUBEXM_SERVER)

const withOutput = (command: Command): Command => command.option('-o, --output <format>', 'text or json', oneOf('text', 'json'), 'text')

/** `get jobs`, `get job`, `get clusters`. */
export function registerGetJobCommands(program: Command): void {
  const get = groupOf(program, 'get', 'show what there is')
  withOutput(withJobPlace(get.command('jobs')))
    .description('list jobs, newest first')
    .option('--cluster <name>', 'only jobs of this cluster')
    .option('--status <status>', statuses.join(', '), oneOf(...statuses))
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .addHelpText('after', examples('get jobs', 'get jobs --cluster prod --status Failed', 'get jobs -o json'))
    .action(withGlobals<[], ListOptions>(async (options) => (await import('./job-actions.ts')).showJobs(options)))
  withOutput(withJobPlace(get.command('clusters')))
    .description('list the clusters that jobs were about')
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .action(withGlobals<[], ListOptions>(async (options) => (await import('./job-actions.ts')).showClusters(options)))
  withOutput(withJobPlace(get.command('job <id>')))
    .description('show a job; the first six characters of its id are enough')
    .option('-w, --watch', 'follow it until it ends', false)
    .addHelpText('after', examples('get job 5d0c7f', 'get job 5d0c7f --watch'))
    .action(withGlobals<[string], ShowOptions>(async (options, id) => (await import('./job-actions.ts')).showJob(id, options)))
}

/** `logs job`. */
export function registerLogCommands(program: Command): void {
  withOutput(withJobPlace(groupOf(program, 'logs', 'show what a job told').command('job <id>')))
    .description('show the log of a job')
    .option('-f, --follow', 'go on until the job ends', false)
    .option('--level <level>', 'from this level on', oneOf(...levels), 'info')
    .addHelpText('after', examples('logs job 5d0c7f', 'logs job 5d0c7f -f --level debug'))
    .action(withGlobals<[string], LogOptions>(async (options, id) => (await import('./job-actions.ts')).showLog(id, options)))
}

/** `cancel job`. */
export function registerCancelCommands(program: Command): void {
  withJobPlace(groupOf(program, 'cancel', 'stop a job').command('job <id>'))
    .description('cancel a job: what runs is ended, what is done stays')
    .addHelpText('after', examples('cancel job 5d0c7f'))
    .action(withGlobals<[string], JobPlace>(async (options, id) => (await import('./job-actions.ts')).cancelJob(id, options)))
}

/** `resume job`. */
export function registerResumeCommands(program: Command): void {
  withJobPlace(groupOf(program, 'resume', 'continue a job').command('job <id>'))
    .description('continue a job that failed or was cancelled, where it stopped')
    .option('--detach', 'leave it to a worker', false)
    .option('-v, --verbose', 'show what commands print', false)
    .addHelpText('after', examples('resume job 5d0c7f', 'resume job 5d0c7f --detach'))
    .action(withGlobals<[string], ResumeOptions>(async (options, id) => (await import('./job-actions.ts')).resumeJob(id, options)))
}

/** A command of another file may have made the group already. */
function groupOf(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description)
}

/** An action that gives the exit code; it gets the options of the program too. */
export const withGlobals =
  <A extends readonly string[], O extends object>(action: (options: O, ...args: A) => Promise<number>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    process.exitCode = await action(command.optsWithGlobals<O>(), ...(given.slice(0, -2) as unknown as A))
  }
