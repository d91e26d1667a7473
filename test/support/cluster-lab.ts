import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClusterChoice, type CommandResult, labClusterYaml } from '../../src/lab/index.ts'
import { defaultWish, type MirrorWish, makeMirror, serveMirror } from '../../src/lab/mirror/index.ts'
import { inTemporaryDirectory } from './engine-run.ts'
import { type TestLab, withLab } from './with-lab.ts'

const launcher = join(import.meta.dirname, '../../kubexm')

/** Hosts, everything a cluster is made of beside them, and the command line. */
export interface ClusterLab {
  readonly lab: TestLab
  readonly directory: string
  readonly config: string
  /** Runs kubexm beside the hosts, with the config. */
  kubexm(...args: readonly string[]): Promise<CommandResult>
  /** Everything it has said so far, by the command. */
  said(): Readonly<Record<string, string>>
  /** What the command line needs in its surroundings to find the mirror. */
  readonly env: Readonly<Record<string, string>>
}

/** Gives a test hosts, with a mirror of what it wishes in their network, and a config for them. */
export const inClusterLab = (
  hosts: number,
  choice: ClusterChoice,
  use: (cluster: ClusterLab) => Promise<void>,
  wish: Partial<MirrorWish> = {},
): Promise<void> =>
  withLab({ hosts }, (lab) =>
    inTemporaryDirectory(async (directory) => {
      const { failed, contents } = await makeMirror({ wish: { ...defaultWish, ...wish } })
      if (failed[0] !== undefined) throw failed[0].error
      const images = contents.images.map(({ image }) => image)
      await using served = await serveMirror({ images, address: '10.77.0.1', port: 8080, registryPort: 5000, namespace: lab.netns })
      const config = join(directory, 'cluster.yaml')
      await writeFile(config, await labClusterYaml(lab.name, choice))
      const env = { KUBEXM_MIRROR: served.files, KUBEXM_REGISTRY_MIRROR: `http://${served.registry}` }
      const said: Record<string, string> = {}
      const kubexm: ClusterLab['kubexm'] = async (...args) => {
        const result = await lab.inNetwork([launcher, ...args, '--file', config, '--directory', directory], { env })
        const command = args.join(' ')
        said[command] = (said[command] ?? '') + result.stdout + result.stderr
        return result
      }
      await use({ lab, directory, config, kubexm, said: () => said, env })
    }),
  )
