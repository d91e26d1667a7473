import { readFile, rm, stat } from 'node:fs/promises'
import { hostLayout } from '../../../config/index.ts'
import { writeFileAtomically } from '../../../resource/atomic-file.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { claimDirectory, makeLink, uploadFile, writeFile } from '../../../step/generic/file.ts'
import { composeStep, defineStep, needed, satisfied } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'
import { kubectlCompletion } from './templates.ts'

export const giveRootAccess = composeStep({
  name: 'client.root',
  title: 'Let root use kubectl',
  timeout: minutes(10),
  ops: async (ctx) => {
    const { path, sha256 } = await ctx.artifacts.get('kubectl')
    return [
      uploadFile({ path: `${hostLayout.programs}/kubectl`, from: path, sha256, mode: '0755' }),
      // Where bash-completion looks when somebody first asks it about kubectl, and not before.
      writeFile({ path: '/usr/local/share/bash-completion/completions/kubectl', content: kubectlCompletion }),
      // kubectl keeps a cache beside its configuration.
      claimDirectory('/root/.kube'),
      // A link follows when certificates are renewed; a copy would not.
      makeLink({ path: '/root/.kube/config', target: hostLayout.adminKubeconfig }),
    ]
  },
})

/** The administrator's kubeconfig on this machine, for people: with the endpoint that is reached from outside. */
export const fetchKubeconfig = defineStep({
  name: 'client.kubeconfig',
  title: 'Put the kubeconfig into the work directory',
  timeout: minutes(1),
  precheck: async (ctx) => ((await isCurrent(ctx)) ? satisfied : needed(`write ${ctx.paths.kubeconfig}`)),
  run: async (ctx) => writeFileAtomically(ctx.paths.kubeconfig, (await kubeconfig(ctx)).reveal(), 0o600),
  rollback: { irreversible: 'the kubeconfig on this machine changes no host, and the next run writes it anew' },
  remove: {
    precheck: async ({ paths }) => ((await textOf(paths.kubeconfig)) === null ? satisfied : needed(`remove ${paths.kubeconfig}`)),
    run: ({ paths }) => rm(paths.kubeconfig, { force: true }),
  },
})

const kubeconfig = (ctx: StepContext) => ctx.pki.kubeconfig('admin', 'local')

async function isCurrent(ctx: StepContext): Promise<boolean> {
  const text = await textOf(ctx.paths.kubeconfig)
  if (text === null || text !== (await kubeconfig(ctx)).reveal()) return false
  const { mode } = await stat(ctx.paths.kubeconfig)
  return (mode & 0o077) === 0
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null
    throw cause
  }
}
