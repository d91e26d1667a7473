import { asKubexmError, exitCodes, fail, KubexmError } from '../error/index.ts'
import type { Change, NodeState } from '../event/index.ts'
import { ledgerLine } from '../ledger/index.ts'
import { pkiAccess } from '../pki/index.ts'
import type { StepNode } from '../plan/index.ts'
import type { Artifact } from '../resource/index.ts'
import { type Runner, type Scope, sh } from '../runner/index.ts'
import { type ArtifactAccess, artifactFor, type LocalArtifact, type StepContext, slotAddress } from '../runtime/index.ts'
import type { ChangeContext, Receipt } from '../step/index.ts'
import type { Json } from '../util/json.ts'
import { Secret } from '../util/secret.ts'
import { formatMillis, seconds } from '../util/time.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import type { RunState } from './run-state.ts'

/** How one node ended. */
export interface NodeResult {
  readonly state: Extract<NodeState, 'satisfied' | 'succeeded' | 'failed' | 'cancelled'>
  readonly changes: readonly Change[]
  readonly error: KubexmError | null
}

/** Names a change in the host's ledger: the same one tried again has the same key. */
export const changeKey = (run: string, node: StepNode, receipt: Pick<Receipt, 'kind' | 'id'>): string =>
  `${run}/${node.id}/${receipt.kind}/${receipt.id}`

/** Runs one node to its end: look, act, look again, under one deadline a try; retries what is worth it. */
export async function runNode(node: StepNode, run: RunState, signal: AbortSignal): Promise<NodeResult> {
  const changes: Change[] = []
  const retry = node.step.retry ?? { times: 0, every: 0 }
  for (let attempt = 1; ; attempt++) {
    const tried = await tryNode(node, run, signal, changes)
    if (tried.error === null) return { state: tried.changed ? 'succeeded' : 'satisfied', changes, error: null }
    if (signal.aborted && !tried.expired) return { state: 'cancelled', changes, error: null }
    const error = tried.error.at(run.whereOf(node))
    if (!error.retryable || attempt > retry.times) return { state: 'failed', changes, error }
    run.emit(node, { type: 'step.retrying', node: node.id, title: node.title, attempt, error })
    try {
      await run.options.clock.sleep(retry.every, signal)
    } catch {
      return { state: 'cancelled', changes, error: null }
    }
  }
}

interface Try {
  readonly changed: boolean
  readonly expired: boolean
  readonly error: KubexmError | null
}

async function tryNode(node: StepNode, run: RunState, signal: AbortSignal, changes: Change[]): Promise<Try> {
  using deadline = startDeadline(node.timeout, signal, run.options.clock)
  const ctx = contextOf(node, run, deadline, changes)
  try {
    return { changed: await endedBy(deadline, work(node, ctx)), expired: false, error: null }
  } catch (thrown) {
    const error = deadline.expired ? await timeoutOf(node, run, thrown) : asStepError(node, thrown)
    return { changed: true, expired: deadline.expired, error }
  }
}

/** Gives whether anything was done. */
async function work(node: StepNode, ctx: NodeContext): Promise<boolean> {
  const { step } = node
  const input = node.input as never
  if (node.mode === 'remove') {
    if (step.remove === null || (await step.remove.precheck(ctx, input)).is === 'satisfied') return false
    await step.remove.run(ctx, input)
    return true
  }
  // Slots live in the journal: a step that provides one and is satisfied on a fresh run still has to provide it.
  const mustRun = step.writes.length > 0
  if ((await step.precheck(ctx, input)).is === 'satisfied' && !mustRun) return false
  await step.run(ctx, input)
  await step.verify(ctx, input)
  await ctx.flush()
  return step.sort === 'change'
}

/** Work that does not listen to its signal is left behind after a moment: a step must not hold up the run for ever. */
async function endedBy<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { signal } = deadline
  let onAbort: (() => void) | null = null
  let timer: NodeJS.Timeout | null = null
  const ended = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), 5000)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, ended])
  } finally {
    if (onAbort !== null) signal.removeEventListener('abort', onAbort)
    if (timer !== null) clearTimeout(timer)
  }
}

interface NodeContext extends ChangeContext {
  /** Carries the fencing number: for undoing, which is journaled when it is done. */
  readonly fenced: Runner
  /** Waits until the values put into slots are on disk. */
  flush(): Promise<void>
}

/** The world as one node sees it. */
export function contextOf(node: StepNode, run: RunState, deadline: Deadline, changes: Change[]): NodeContext {
  const { options, world } = run
  const scope: Scope = {
    signal: deadline.signal,
    onLine: (stream, line) => run.emit(node, { type: 'step.line', stream, line }),
    onProgress: (done, total) => run.emit(node, { type: 'step.progress', done, total, unit: 'bytes' }),
    log: (level, message) => run.emit(node, { type: 'note', level, message }),
  }
  const plain = world.runner(node.host)
  const note = { fence: options.run.fence }
  const puts: Promise<void>[] = []
  const order = run.nextStart()
  const reveal: StepContext['reveal'] = async (source) => {
    const value = await source.resolve({ ask: options.ask })
    options.onSecret(value)
    return new Secret(value)
  }
  const base: StepContext = {
    cluster: world.cluster,
    hosts: world.hosts,
    host: run.host(node.host),
    on: plain.bind(scope),
    paths: world.paths,
    artifacts: artifactAccess(node, run, deadline),
    pki: pkiAccess(world.pki, { cluster: world.cluster, onSecret: options.onSecret, reveal }),
    registries: world.registries,
    run: options.run,
    signal: deadline.signal,
    clock: options.clock,
    log: (level, message) => run.emit(node, { type: 'note', level, message }),
    reveal,
    get: (slot) => {
      const value = run.slots.get(slotAddress(slot, node))
      if (value === undefined || !node.step.reads.some((declared) => declared.key === slot.key)) {
        throw fail('KX_BUG', { what: `${node.step.name} reads ${slot.key} without declaring it, or nothing wrote it` })
      }
      return value as never
    },
    put: (slot, value) => {
      if (!node.step.writes.some((declared) => declared.key === slot.key)) {
        throw fail('KX_BUG', { what: `${node.step.name} writes ${slot.key} without declaring it` })
      }
      if (slot.secret) options.onSecret(value as Json)
      run.slots.set(slotAddress(slot, node), value)
      puts.push(options.journal.slot(slotAddress(slot, node), value, slot.secret))
    },
  }
  return Object.assign(base, {
    fenced: plain.bind({ ...scope, note }),
    flush: async () => void (await Promise.all(puts)),
    tell: (label: string, text: string) => run.tellResult(node, { label, text }),
    report: (finding: Parameters<ChangeContext['report']>[0]) => run.report(node, finding),
    change: async (receipt: Receipt, apply: (on: Runner) => Promise<void>, limits: Parameters<ChangeContext['change']>[2]) => {
      await run.addReceipt(node, order, receipt)
      const line = receipt.owned ? { ledgerLine: ledgerLineOf(node, run, receipt) } : {}
      const on = plain.bind({ ...scope, note: { ...note, ...line } })
      const act = async (): Promise<void> => {
        deadline.signal.throwIfAborted()
        await apply(on)
      }
      await run.limited(node.host, limits ?? {}, deadline, act)
      changes.push({ does: receipt.does })
    },
  })
}

/** Artifacts as one node sees them. */
function artifactAccess(node: StepNode, run: RunState, { signal }: Deadline): ArtifactAccess {
  const { artifacts, store } = run.world
  const byId = (id: string): Artifact => {
    const found = artifacts.find((artifact) => artifact.id === id)
    if (found === undefined) throw fail('KX_BUG', { what: `the plan names ${id}, which is not among the artifacts` })
    return found
  }
  // Somebody may have cleared the cache since it was fetched.
  const here = async (artifact: Artifact): Promise<LocalArtifact> =>
    (await store.find(artifact)) ?? store.ensure(artifact, { signal, onBytes: () => {} })
  return {
    get: (name) => here(artifactFor(artifacts, name, node.host)),
    find: (id) => here(byId(id)),
    has: async (id) => (await store.find(byId(id))) !== null,
    fetch: async (id) => {
      const onBytes = (done: number, total: number): void => run.emit(node, { type: 'step.progress', done, total, unit: 'bytes' })
      await store.ensure(byId(id), { signal, onBytes })
    },
  }
}

function ledgerLineOf(node: StepNode, run: RunState, receipt: Receipt): string {
  return ledgerLine({
    key: changeKey(run.options.run.id, node, receipt),
    run: run.options.run.id,
    step: node.step.name,
    kind: receipt.kind,
    id: receipt.id,
    does: receipt.does,
    before: receipt.before,
    ...(receipt.desired === undefined ? {} : { desired: receipt.desired }),
    ...(receipt.data === true ? { data: true } : {}),
    at: new Date(run.options.clock.now()).toISOString(),
  })
}

async function timeoutOf(node: StepNode, run: RunState, cause: unknown): Promise<KubexmError> {
  // A wait says itself what was missing when its time was up.
  if (cause instanceof KubexmError && cause.code === 'KX_STEP_TIMEOUT') return cause
  const said = { title: node.title, limit: formatMillis(node.timeout) }
  return fail((await isSilent(node.host, run)) ? 'KX_HOST_SILENT' : 'KX_STEP_TIMEOUT', said, { cause })
}

/** Whether a host that took too long answers nothing at all: a cut network shows in a connection only after a while. */
async function isSilent(host: string, { options, world }: RunState): Promise<boolean> {
  using deadline = startDeadline(seconds(5), options.abandon, options.clock)
  try {
    await endedBy(deadline, world.runner(host).bind({ signal: deadline.signal }).run(sh`true`))
    return false
  } catch (thrown) {
    return deadline.expired || (thrown instanceof KubexmError && thrown.exitCode === exitCodes.connection)
  }
}

/** A command that failed is not the whole story: which step it was part of comes first. Other errors speak for themselves. */
function asStepError(node: StepNode, thrown: unknown): KubexmError {
  const error = asKubexmError(thrown)
  if (error.code !== 'KX_COMMAND') return error
  return fail(
    'KX_STEP_FAILED',
    { title: node.title, why: error.message },
    { ...(error.seen === null ? {} : { seen: error.seen }), cause: error, where: error.where },
  )
}
