import { rm, stat } from 'node:fs/promises'
import { contextName, hostLayout } from '../../../config/index.ts'
import {
  addToUserKubeconfig,
  entriesOf,
  isInUserKubeconfig,
  removeFromUserKubeconfigs,
  type UserKubeconfig,
  userKubeconfigsOf,
} from '../../../pki/index.ts'
import { writeFileAtomically } from '../../../resource/atomic-file.ts'
import { coversCluster, type StepContext } from '../../../runtime/index.ts'
import { claimDirectory, makeLink, uploadFile, writeFile } from '../../../step/generic/file.ts'
import { composeStep, defineStep, needed, satisfied } from '../../../step/index.ts'
import { readIfThere } from '../../../util/local-file.ts'
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
    precheck: async (ctx) => {
      const { kubeconfig: file } = ctx.paths
      // As long as some of its hosts stay, so does the cluster.
      return coversCluster(ctx) && (await readIfThere(file)) !== null ? needed(`remove ${file}`) : satisfied
    },
    run: ({ paths }) => rm(paths.kubeconfig, { force: true }),
  },
})

const kubeconfig = (ctx: StepContext) => ctx.pki.kubeconfig('admin', 'local')

async function isCurrent(ctx: StepContext): Promise<boolean> {
  const text = await readIfThere(ctx.paths.kubeconfig)
  if (text === null || text !== (await kubeconfig(ctx)).reveal()) return false
  const { mode } = await stat(ctx.paths.kubeconfig)
  return (mode & 0o077) === 0
}

/** The cluster in the kubeconfig of whoever runs kubexm, where they ask for it: their kubectl then knows it beside all others. */
export const mergeKubeconfig = defineStep({
  name: 'client.merge-kubeconfig',
  title: 'Add the cluster to your own kubeconfig, if asked to',
  timeout: minutes(1),
  precheck: async (ctx) => {
    if (ctx.run.mergeKubeconfig !== true) return satisfied
    const place = userKubeconfig(ctx)
    return (await isInUserKubeconfig(place, await ownEntries(ctx))) ? satisfied : needed(`add ${place.name} to ${place.file}`)
  },
  run: async (ctx) => addToUserKubeconfig(userKubeconfig(ctx), await ownEntries(ctx)),
  rollback: { irreversible: 'an entry in your kubeconfig changes no host; it goes when the cluster is deleted' },
  remove: {
    precheck: async (ctx) => {
      const place = userKubeconfig(ctx)
      const files = coversCluster(ctx) ? await userKubeconfigsOf(place) : []
      return files.length === 0 ? satisfied : needed(...files.map((file) => `take ${place.name} out of ${file}`))
    },
    run: async (ctx) => {
      const place = userKubeconfig(ctx)
      for (const { file, why } of await removeFromUserKubeconfigs(place))
        ctx.tell('kubeconfig', `${file} still knows ${place.name}, and could not be changed: ${why}`)
    },
  },
})

const userKubeconfig = ({ cluster, paths, signal, clock }: StepContext): UserKubeconfig => ({
  file: paths.userKubeconfig,
  record: paths.mergedKubeconfigs,
  name: contextName(cluster),
  signal,
  clock,
})

const ownEntries = async (ctx: StepContext) => entriesOf((await kubeconfig(ctx)).reveal(), userKubeconfig(ctx).name)
