import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClusterChoice, type CommandResult, labClusterYaml } from '../../src/lab/index.ts'
import type { TestLab } from './with-lab.ts'

const launcher = join(import.meta.dirname, '../../kubexm')

/** The command line in the network of a lab, with a config for its hosts: as a user would run it on a machine beside them. */
export interface KubexmInLab {
  readonly config: string
  (...args: readonly string[]): Promise<CommandResult>
}

/** Writes the config and gives the command; the work directory is the given one. */
export async function kubexmIn(lab: TestLab, directory: string, mirror: string, choice: ClusterChoice = {}): Promise<KubexmInLab> {
  const config = join(directory, 'cluster.yaml')
  await writeFile(config, await labClusterYaml(lab.name, choice))
  const command = (...args: readonly string[]): Promise<CommandResult> =>
    lab.inNetwork([launcher, ...args, ...(needsConfig(args) ? ['--file', config, '--directory', directory] : [])], {
      env: { KUBEXM_MIRROR: mirror },
    })
  return Object.assign(command, { config })
}

const needsConfig = ([verb]: readonly string[]): boolean => verb !== 'version' && verb !== 'config' && verb !== 'lab'
