import type { Command } from 'commander'
import { registerClusterCommands } from './cluster-commands.ts'
import { registerPreflightCommand } from './preflight-command.ts'
import { registerToolCommands } from './tool-commands.ts'

interface Group {
  readonly description: string
  readonly load: () => Promise<(program: Command) => void>
}

/** Groups of commands by the word they begin with; the module that knows one is loaded only when it is wanted. */
const groups: Readonly<Record<string, Group>> = {
  config: {
    description: 'write, check, explain and convert config files',
    load: async () => (await import('./config-commands.ts')).registerConfigCommands,
  },
  lab: {
    description: 'real test hosts on this machine',
    load: async () => {
      const [{ registerLabCommands }, { registerMirrorCommands }] = await Promise.all([
        import('./lab-commands.ts'),
        import('./mirror-commands.ts'),
      ])
      return (program) => {
        registerLabCommands(program)
        registerMirrorCommands(program)
      }
    },
  },
  bundle: {
    description: 'everything a config needs, in one file',
    load: async () => (await import('./bundle-commands.ts')).registerBundleCommands,
  },
  get: { description: 'show what there is', load: async () => (await import('./bundle-commands.ts')).registerArtifactCommands },
}

/** Adds all commands; of the groups only the wanted one is whole, unless all are. */
export async function registerCommands(program: Command, wanted: string | null): Promise<void> {
  registerClusterCommands(program)
  registerPreflightCommand(program)
  registerToolCommands(program)
  for (const [name, { description, load }] of Object.entries(groups)) {
    if (wanted === null || wanted === name) (await load())(program)
    else program.command(name).description(description)
  }
  if (wanted !== null) program.command('completion').description('print the completion script of a shell: bash, zsh, fish or powershell')
  else (await import('@bomb.sh/tab/commander')).default(program, { completionCommandName: 'completion' })
}
