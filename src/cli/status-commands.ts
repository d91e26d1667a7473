import type { Command } from 'commander'
import { examples } from './cluster-commands.ts'
import { type ClusterOptions, withClusterOptions } from './cluster-options.ts'

/** `status`: how a cluster is, part by part. */
export function registerStatusCommand(program: Command): void {
  withClusterOptions(program.command('status'))
    .description('look at API servers, etcd, nodes, system pods, certificates and drift; changes nothing, exit code 13 unless all is well')
    .addHelpText('after', examples('status -f cluster.yaml', 'status -f cluster.yaml -o json'))
    .action(async (options: ClusterOptions) => {
      const { showStatus } = await import('./show-status.ts')
      process.exitCode = await showStatus(options)
    })
}

/** `get cluster` and `get nodes`. */
export function registerGetStatusCommands(program: Command): void {
  const get = program.commands.find((command) => command.name() === 'get') ?? program.command('get').description('show what there is')
  withClusterOptions(get.command('cluster'))
    .description('show the cluster in one line')
    .action(async (options: ClusterOptions) => (await import('./show-status.ts')).showCluster(options))
  withClusterOptions(get.command('nodes'))
    .description('show the nodes as the cluster knows them')
    .action(async (options: ClusterOptions) => (await import('./show-status.ts')).showNodes(options))
}
