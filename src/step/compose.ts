import { fail } from '../error/index.ts'
import type { AnySlot, StepContext } from '../runtime/index.ts'
import type { Json } from '../util/json.ts'
import type { Millis } from '../util/time.ts'
import { seconds } from '../util/time.ts'
import { undoReceipts } from './generic/kinds.ts'
import type { Op } from './op.ts'
import { ownedThings, toUndo, undoOwned } from './owned.ts'
import { needed, type Removal, type Step, satisfied } from './step.ts'

interface ComposedStep<I extends Json> {
  readonly name: string
  readonly title: string | ((input: I) => string)
  readonly timeout: Millis
  readonly reads?: readonly AnySlot[]
  /** What is put on the host, in this order. */
  readonly ops: (ctx: StepContext, input: I) => readonly Op[]
}

/**
 * Makes a step of ops. Precheck, verification, rollback and removal follow from them:
 * satisfied when every op is done, undone last change first, removed by what the host's ledger says was there before.
 */
export function composeStep<I extends Json = null>(spec: ComposedStep<I>): Step<I> {
  // The states seen by the precheck serve the run that follows it: one round trip for a step that has nothing to do, not two.
  const seen = new WeakMap<StepContext, readonly Json[]>()
  return {
    name: spec.name,
    sort: 'change',
    timeout: spec.timeout,
    // Ops look before they act, so trying again after a lost connection is safe.
    retry: { times: 2, every: seconds(2) },
    reads: spec.reads ?? [],
    writes: [],
    title: titleOf(spec.title),

    precheck: async (ctx, input) => {
      const ops = spec.ops(ctx, input)
      const states = await inspect(ctx, ops)
      seen.set(ctx, states)
      const open = ops.filter((op, i) => !op.isDone(states[i] as Json))
      return open.length === 0 ? satisfied : needed(...open.map((op) => op.does))
    },

    run: async (ctx, input) => {
      const ops = spec.ops(ctx, input)
      const states = seen.get(ctx) ?? (await inspect(ctx, ops))
      let changed = false
      for (const [i, op] of ops.entries()) {
        // After a change the picture may have moved: a unit runs with an old file once the file is new.
        const state = changed ? ((await ctx.on.inspect([op.probe]))[0] as Json) : (states[i] as Json)
        if (op.isDone(state)) continue
        await ctx.change(
          {
            kind: op.kind.name,
            id: op.id,
            does: op.does,
            before: op.capture(state),
            owned: op.transient !== true,
            ...(op.data === true ? { data: true as const } : {}),
          },
          (on) => op.apply(on, ctx, state),
          op,
        )
        changed = true
      }
    },

    verify: async (ctx, input) => {
      const ops = spec.ops(ctx, input)
      const states = await inspect(ctx, ops)
      const open = ops.filter((op, i) => !op.isDone(states[i] as Json))
      if (open.length > 0) {
        throw fail('KX_VERIFY_FAILED', { title: titleOf(spec.title)(input), what: open.map((op) => op.does).join(', ') })
      }
    },

    rollback: (ctx, _input, receipts) => undoReceipts(ctx.on, receipts),
    remove: removeByLedger(spec.name),
  }
}

/** Takes away what this step put on the host, and puts back what was there before it, as the host's ledger says. */
function removeByLedger(step: string): Removal<Json> {
  const ours = (ctx: StepContext) => ownedThings(ctx, (entry) => entry.step === step)
  return {
    precheck: async (ctx) => toUndo(await ours(ctx)),
    run: async (ctx) => undoOwned(ctx, await ours(ctx)),
  }
}

const inspect = async (ctx: StepContext, ops: readonly Op[]): Promise<readonly Json[]> =>
  ops.length === 0 ? [] : ((await ctx.on.inspect(ops.map((op) => op.probe))) as readonly Json[])

/** A title as a function of the input. */
export const titleOf = <I extends Json>(title: string | ((input: I) => string)): ((input: I) => string) =>
  typeof title === 'string' ? () => title : title
