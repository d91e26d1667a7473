import type { Command } from 'commander'
import { registerClusterCommands } from './cluster-commands.ts'
import { registerPreflightCommand } from './preflight-command.ts'
import { registerStatusCommand } from './status-commands.ts'
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
  get: {
    description: 'show what there is',
    load: async () => {
      const [{ registerArtifactCommands }, { registerGetStatusCommands }, { registerGetJobCommands }] = await Promise.all([
        import('./bundle-commands.ts'),
        import('./status-commands.ts'),
        import('./job-commands.ts'),
      ])
      return (program) => {
        registerArtifactCommands(program)
        registerGetStatusCommands(program)
        registerGetJobCommands(program)
      }
    },
  },
  logs: { description: 'show what a job told', load: async () => (await import('./job-commands.ts')).registerLogCommands },
  cancel: { description: 'stop a job', load: async () => (await import('./job-commands.ts')).registerCancelCommands },
  resume: { description: 'continue a job', load: async () => (await import('./job-commands.ts')).registerResumeCommands },
  token: {
    description: 'make, list and revoke tokens for the API server',
    load: async () => (await import('./token-commands.ts')).registerTokenCommands,
  },
  serve: {
    description: 'run API server, worker and console in one process',
    load: async () => (await import('./service-commands.ts')).registerServeCommand,
  },
  worker: { description: 'take jobs and run them', load: async () => (await import('./service-commands.ts')).registerWorkerCommand },
  'api-server': {
    description: 'answer HTTP: jobs, clusters, live events, console',
    load: async () => (await import('./service-commands.ts')).registerApiServerCommand,
  },
}

/** Adds all commands; of the groups only the wanted one is whole, unless all are. */
export async function registerCommands(program: Command, wanted: string | null): Promise<void> {
  registerClusterCommands(program)
  registerPreflightCommand(program)
  registerStatusCommand(program)
  registerToolCommands(program)
  for (const [name, { description, load }] of Object.entries(groups)) {
    if (wanted === null || wanted === name) (await load())(program)
    else program.command(name).description(description)
  }
  if (wanted !== null) program.command('completion').description('print the completion script of a shell: bash, zsh, fish or powershell')
  else (await import('@bomb.sh/tab/commander')).default(program, { completionCommandName: 'completion' })
}
