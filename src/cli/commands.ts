import type { Command } from 'commander'
import { registerClusterCommands } from './cluster-commands.ts'
import { registerToolCommands } from './tool-commands.ts'

/** The noun or verb a group of commands begins with, and the module that knows them: loaded only when it is wanted. */
const groups: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  config: async () => (await import('./config-commands.ts')).registerConfigCommands,
  lab: async () => (await import('./lab-commands.ts')).registerLabCommands,
}

/** Adds all commands, or only those that begin with the given word. */
export async function registerCommands(program: Command, only: string | null): Promise<void> {
  registerClusterCommands(program)
  registerToolCommands(program)
  for (const [name, load] of Object.entries(groups)) if (only === null || only === name) (await load())(program)
  if (only !== null && !(only in groups))
    for (const name of Object.keys(groups)) program.command(name).description(descriptions[name] ?? '')
}

/** What the help says of groups that are not loaded. */
const descriptions: Readonly<Record<string, string>> = {
  config: 'write, check, explain and convert config files',
  lab: 'real test hosts on this machine',
}
