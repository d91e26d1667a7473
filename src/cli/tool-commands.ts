import type { Command } from 'commander'
import { version } from '../util/version.ts'
import { oneOf } from './cluster-options.ts'

/** `version`. */
export function registerToolCommands(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .option('-o, --output <format>', 'text or json', oneOf('text', 'json'), 'text')
    .action(({ output }: { output: 'text' | 'json' }) => {
      const facts = { version, node: process.version, platform: `${process.platform}/${process.arch}` }
      process.stdout.write(
        output === 'json' ? `${JSON.stringify(facts)}\n` : `kubexm ${version} (node ${process.version}, ${facts.platform})\n`,
      )
    })
}
