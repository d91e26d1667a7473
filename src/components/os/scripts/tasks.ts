import { defineTask, use } from '../../../task/index.ts'
import { runScript, type ScriptInput, scriptHash } from './steps.ts'

const scripts = (list: ScriptInput['list'], name: string, description: string) =>
  defineTask({
    name,
    description,
    plan: (t) =>
      t.on(
        t.hosts(),
        ...t.cluster.spec.system[list].map((command, i) =>
          use(runScript, { list, number: i + 1, hash: scriptHash(list, command) }, String(i + 1)),
        ),
      ),
  })

export const preInstall = scripts('preInstall', 'pre-install', 'Run the commands of system.preInstall, each once')
export const postInstall = scripts('postInstall', 'post-install', 'Run the commands of system.postInstall, each once')
