import type { Command } from 'commander'
import { examples } from './cluster-commands.ts'
import { type ClusterOptions, withClusterOptions } from './cluster-options.ts'

/** `preflight`: looks at the machines and changes nothing. */
export function registerPreflightCommand(program: Command): void {
  withClusterOptions(program.command('preflight'))
    .description('check that the machines are fit for the cluster; changes nothing, exit code 12 when something must be mended first')
    .addHelpText(
      'after',
      examples('preflight -f cluster.yaml', 'preflight -f cluster.yaml -o json', 'preflight -f cluster.yaml --limit node3'),
    )
    .action(async (_options: ClusterOptions, command: Command) => {
      const { runPreflight } = await import('./run-preflight.ts')
      process.exitCode = await runPreflight(command.optsWithGlobals<ClusterOptions & { language?: string }>())
    })
}
