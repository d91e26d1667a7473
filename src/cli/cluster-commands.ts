import type { Command } from 'commander'
import type { PipelineName } from '../app/index.ts'
import type { ChangeWishes } from './change-cluster.ts'
import { type ChangeOptions, type ClusterOptions, oneOf, withChangeOptions, withClusterOptions } from './cluster-options.ts'

/** `create cluster`, `delete cluster`, `plan`. */
export function registerClusterCommands(program: Command): void {
  const create = program.command('create').description('create a cluster')
  withChangeOptions(create.command('cluster'))
    .description('turn the machines of the config into a cluster; run it again to continue or to repair')
    .option('--merge-kubeconfig', 'also add it to your own kubeconfig (KUBECONFIG, else ~/.kube/config) as kubexm-<cluster>', false)
    .addHelpText(
      'after',
      examples('create cluster -f cluster.yaml', 'create cluster -f cluster.yaml --dry-run', 'create cluster -f cluster.yaml --resume'),
    )
    .action((options: ChangeOptions & { mergeKubeconfig: boolean }) =>
      change('create-cluster', options, { purgeData: false, mergeKubeconfig: options.mergeKubeconfig, ask: null }),
    )

  const remove = program.command('delete').description('delete a cluster')
  withChangeOptions(remove.command('cluster'))
    .description('take away what kubexm put on the machines, and put back what it changed')
    .option('--purge-data', 'also the data of workloads and of etcd', false)
    .addHelpText('after', examples('delete cluster -f cluster.yaml', 'delete cluster -f cluster.yaml --purge-data --yes'))
    .action((options: ChangeOptions & { purgeData: boolean }) =>
      change('delete-cluster', options, { purgeData: options.purgeData, ask: 'This takes the cluster off all its machines. Go on?' }),
    )

  withClusterOptions(program.command('plan'), 'dot', 'svg')
    .description('show the execution graph of an operation')
    .option('--for <operation>', 'create or delete', oneOf('create', 'delete'), 'create')
    .addHelpText('after', examples('plan -f cluster.yaml', 'plan -f cluster.yaml --for delete -o svg > plan.svg'))
    .action(async (options: Omit<ClusterOptions, 'output'> & { for: 'create' | 'delete'; output: 'text' | 'json' | 'dot' | 'svg' }) => {
      const { showPlan } = await import('./show-plan.ts')
      await showPlan(options.for === 'create' ? 'create-cluster' : 'delete-cluster', options)
    })
}

async function change(pipeline: PipelineName, options: ChangeOptions, about: ChangeWishes): Promise<void> {
  const { changeCluster } = await import('./change-cluster.ts')
  process.exitCode = await changeCluster(pipeline, options, about)
}

/** Lines for the end of a command's help. */
export const examples = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  kubexm ${line}`).join('\n')}`
