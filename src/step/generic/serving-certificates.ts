import { fail } from '../../error/index.ts'
import type { SigningRequest } from '../../pki/index.ts'
import type { Output } from '../../runner/index.ts'
import type { Host, StepContext } from '../../runtime/index.ts'
import { eventually } from '../../util/eventually.ts'
import { semaphore } from '../../util/semaphore.ts'
import type { Millis } from '../../util/time.ts'
import type { ChangeContext } from '../step.ts'
import { kubectl } from './kubernetes.ts'

/** More than this at once would make one answer too long. */
const atOnce = 200

/** A kubelet that waits for its first certificate refuses every connection: one that answers the API server has one. */
export async function withoutServing(ctx: StepContext, nodes: readonly Host[]): Promise<readonly Host[]> {
  const few = semaphore(8)
  const answers = await Promise.all(nodes.map(({ name }) => few(() => ask(ctx, `--raw=/api/v1/nodes/${name}/proxy/healthz`))))
  return nodes.filter((_, i) => answers[i]?.stdout.trim() !== 'ok')
}

const ask = (ctx: StepContext, ...words: readonly string[]): Promise<Output> =>
  ctx.on.run(kubectl('get', ...words, '--request-timeout=10s'), { ok: 'any' })

interface Pending {
  readonly metadata: { readonly name: string }
  readonly spec: SigningRequest
}

/** Requests of kubelets for serving certificates that nobody has decided about. */
async function pendingRequests(ctx: StepContext): Promise<readonly Pending[]> {
  const fields = '{.metadata.name}{"\\t"}{.status.conditions}{"\\n"}'
  const signer = '--field-selector=spec.signerName=kubernetes.io/kubelet-serving'
  const list = await ask(ctx, 'csr', signer, `--output=jsonpath={range .items[*]}${fields}{end}`)
  const names = list.stdout.split('\n').flatMap((line) => {
    const [name = '', conditions = ''] = line.split('\t')
    return name !== '' && conditions === '' ? [name] : []
  })
  if (names.length === 0) return []
  const { code, stdout } = await ask(ctx, 'csr', ...names.slice(0, atOnce), '--output=json')
  if (code !== 0) return []
  const answer = JSON.parse(stdout) as Pending | { readonly items: readonly Pending[] }
  return 'items' in answer ? answer.items : [answer]
}

/**
 * Approves what kubelets ask for until each of them can be reached. A request is granted to the node that made it, for names and
 * addresses the config knows it by, and for nothing else; what is refused stays open for somebody who knows better.
 */
export async function grantServing(ctx: ChangeContext, nodes: readonly Host[], within: Millis): Promise<void> {
  let waiting = nodes
  const refused = new Map<string, string>()
  const done = await eventually(
    async () => {
      const good: string[] = []
      for (const { metadata, spec } of await pendingRequests(ctx)) {
        const fault = await ctx.pki.servingFault(spec.username.replace(/^system:node:/, ''), spec)
        if (fault === null) good.push(metadata.name)
        else refused.set(metadata.name, fault)
      }
      if (good.length > 0) await approve(ctx, good)
      waiting = await withoutServing(ctx, waiting)
      return waiting.length === 0 ? true : null
    },
    { every: 500, within, signal: ctx.signal, clock: ctx.clock },
  )
  if (done !== null) return
  const seen = [...refused].map(([name, why]) => `${name}: ${why}`).join('\n')
  throw fail('KX_SERVING_CERTIFICATE', { nodes: waiting.map(({ name }) => name).join(', ') }, seen === '' ? {} : { seen })
}

const approve = (ctx: ChangeContext, names: readonly string[]): Promise<void> =>
  ctx.change(
    { kind: 'custom', id: names.join(), does: `approve ${names.length} certificate requests`, before: null, owned: false },
    async (on) => {
      await on.run(kubectl('certificate', 'approve', ...names))
    },
  )
