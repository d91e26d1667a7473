import { apiServerUrl, apiUrlFor, hostLayout, mastersOf } from '../../config/index.ts'
import { fail } from '../../error/index.ts'
import { type Command, hostPaths, type Runner, sh } from '../../runner/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { eventually } from '../../util/eventually.ts'
import { lastLines } from '../../util/last-lines.ts'
import { minutes, seconds } from '../../util/time.ts'
import { kubeconfigPath } from './certificate.ts'

/** The file a joining host finds its cluster with, and shows who it is: made for the join, and gone after it. */
const path = kubeconfigPath('joiner')

const kubectl = (...words: readonly string[]): Command =>
  sh`${hostLayout.programs}/kubectl --kubeconfig=${path} --cache-dir=${hostPaths.root}/kubectl --request-timeout=5s ${words}`

/** Does something on a host that may join: it knows a master whose API server answers, and only as long as this takes. */
export async function withDiscovery(on: Runner, ctx: StepContext, join: (api: string) => Promise<void>): Promise<void> {
  let failure: { readonly thrown: unknown } | null = null
  try {
    await join(await findApi(on, ctx))
  } catch (thrown) {
    failure = { thrown }
  }
  await on.files.remove(path).catch((thrown: unknown) => {
    // What went wrong first says more.
    failure ??= { thrown }
  })
  if (failure !== null) throw failure.thrown
}

/**
 * The API this host is to use from now on, if it answers already: then its kubelet need not be turned to it later. What balances the API
 * servers may come up only with this host, though; then any master is as good.
 */
async function findApi(on: Runner, ctx: StepContext): Promise<string> {
  const masters = mastersOf(ctx.cluster).filter(({ name }) => name !== ctx.host.name)
  const endpoint = ctx.host.roles.includes('master') ? [] : [apiUrlFor(ctx.cluster, ctx.host)]
  const urls = [...endpoint, ...masters.map((master) => apiServerUrl(ctx.cluster, master))]
  let silence = ''
  const answers = async (url: string): Promise<boolean> => {
    await on.files.write(path, await ctx.pki.kubeconfig('joiner', ctx.host.name, url), { mode: '0600' })
    const { code, stderr } = await ctx.on.run(kubectl('get', '--raw=/readyz'), { ok: 'any' })
    if (code !== 0) silence = `${url}: ${lastLines(stderr, 1)}`
    return code === 0
  }
  const found = await eventually(
    async () => {
      for (const url of urls) if (await answers(url)) return url
      return null
    },
    { every: seconds(1), within: minutes(1), signal: ctx.signal, clock: ctx.clock },
  )
  if (found === null) throw fail('KX_KUBEADM_NO_API', { urls: urls.join(', ') }, { seen: silence })
  return found
}

/** Whether the node of this host is there and ready: kubeadm will not bootstrap its kubelet a second time then. */
export async function isNodeReady(ctx: StepContext): Promise<boolean> {
  const { code, stdout } = await ctx.on.run(kubectl('get', 'node', ctx.host.name, '--output=json'), { ok: 'any' })
  if (code !== 0) return false
  const { status } = JSON.parse(stdout) as {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
  }
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
}

/** Waits until the kubelet of this host has registered its node. */
export async function nodeRegistered(ctx: StepContext): Promise<void> {
  const came = await eventually(
    async () => ((await ctx.on.run(kubectl('get', 'node', ctx.host.name, '--output=name'), { ok: 'any' })).code === 0 ? true : null),
    { every: 500, within: minutes(2), signal: ctx.signal, clock: ctx.clock },
  )
  if (came !== null) return
  const { stdout } = await ctx.on.run(sh`journalctl --unit=kubelet --lines=8 --output=cat --no-pager`, { ok: 'any' })
  throw fail('KX_KUBEADM_NODE_MISSING', { node: ctx.host.name }, { seen: lastLines(stdout, 8) })
}
