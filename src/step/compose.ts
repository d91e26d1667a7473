import { fail } from '../error/index.ts'
import type { Probe, StateOf } from '../runner/index.ts'
import type { AnySlot, StepContext } from '../runtime/index.ts'
import type { Json } from '../util/json.ts'
import type { Millis } from '../util/time.ts'
import { seconds } from '../util/time.ts'
import { together } from '../util/together.ts'
import { undoReceipts } from './generic/kinds.ts'
import type { Op } from './op.ts'
import { ownedThings, toUndo, undoOwned } from './owned.ts'
import { type ChangeContext, needed, type Removal, type Step, satisfied } from './step.ts'

interface ComposedStep<I extends Json> {
  readonly name: string
  readonly title: string | ((input: I) => string)
  readonly timeout: Millis
  readonly reads?: readonly AnySlot[]
  /** Only where this holds on the host; asked in the same round trip as the rest. The step's own changes must not change the answer. */
  readonly when?: Condition
  /** The ops have nothing to do with each other: they are done side by side, as far as the limits of the run allow. */
  readonly sideBySide?: boolean
  /** What is put on the host, in this order. */
  readonly ops: (ctx: StepContext, input: I) => readonly Op[] | Promise<readonly Op[]>
}

/** Something about a host that only the host itself can tell. */
export interface Condition {
  readonly probe: Probe
  holds(state: Json): boolean
}

/** Declares a condition; the probe's type gives the state its type. */
export const condition = <P extends Probe>(probe: P, holds: (state: StateOf<P>) => boolean): Condition => ({
  probe,
  holds: holds as unknown as Condition['holds'],
})

/** An op and what was seen of its thing. */
interface Seen {
  readonly op: Op
  readonly state: Json
}

/**
 * Makes a step of ops. Precheck, verification, rollback and removal follow from them:
 * satisfied when every op is done, undone last change first, removed by what the host's ledger says was there before.
 */
export function composeStep<I extends Json = null>(spec: ComposedStep<I>): Step<I> {
  // The states seen by the precheck serve the run that follows it: one round trip for a step that has nothing to do, not two.
  const known = new WeakMap<StepContext, readonly Seen[]>()
  const look = async (ctx: StepContext, input: I): Promise<readonly Seen[]> => inspect(ctx, await spec.ops(ctx, input), spec.when)
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
      const seen = await look(ctx, input)
      known.set(ctx, seen)
      const open = stillOpen(seen)
      return open.length === 0 ? satisfied : needed(...open.map((op) => op.does))
    },

    run: async (ctx, input) => {
      const seen = known.get(ctx) ?? (await look(ctx, input))
      if (spec.sideBySide === true) {
        // Nothing must still be changing when the step is rolled back.
        await together(seen.filter(({ op, state }) => !op.isDone(state)).map((one) => perform(ctx, one)))
        return
      }
      let changed = false
      for (const { op, state: before } of seen) {
        // After a change the picture may have moved: a unit runs with an old file once the file is new.
        const state = changed ? ((await ctx.on.inspect([op.probe]))[0] as Json) : before
        if (op.isDone(state)) continue
        await perform(ctx, { op, state })
        changed = true
      }
    },

    verify: async (ctx, input) => {
      const open = stillOpen(await look(ctx, input))
      if (open.length > 0) {
        throw fail('KX_VERIFY_FAILED', { title: titleOf(spec.title)(input), what: open.map((op) => op.does).join(', ') })
      }
    },

    rollback: (ctx, _input, receipts) => undoReceipts(ctx.on, receipts),
    remove: removeByLedger(spec.name),
  }
}

/** Does one op as a change of the run: journaled, noted in the ledger, undone from there. */
const perform = (ctx: ChangeContext, { op, state }: Seen): Promise<void> =>
  ctx.change(
    {
      kind: op.kind.name,
      id: op.id,
      does: op.does,
      before: op.capture(state),
      owned: op.transient !== true,
      ...(op.desired === undefined ? {} : { desired: op.desired }),
      ...(op.data === true ? { data: true as const } : {}),
    },
    (on) => op.apply(on, ctx, state),
    op,
  )

/** Takes away what this step put on the host, and puts back what was there before it, as the host's ledger says. */
function removeByLedger(step: string): Removal<Json> {
  const ours = (ctx: StepContext) => ownedThings(ctx, (entry) => entry.step === step)
  return {
    precheck: async (ctx) => toUndo(await ours(ctx)),
    run: async (ctx) => undoOwned(ctx, await ours(ctx)),
  }
}

/** What the host says about each op's thing, in one round trip; nothing where the condition does not hold. */
async function inspect(ctx: StepContext, ops: readonly Op[], when: Condition | undefined): Promise<readonly Seen[]> {
  if (ops.length === 0) return []
  const probes = [...(when === undefined ? [] : [when.probe]), ...ops.map((op) => op.probe)]
  // Ops may ask the same thing, such as for the list of all images: the host answers once.
  const questions = new Map(probes.map((probe) => [JSON.stringify(probe), probe]))
  const answers = (await ctx.on.inspect([...questions.values()])) as readonly Json[]
  const byQuestion = new Map([...questions.keys()].map((question, i) => [question, answers[i] as Json]))
  const stateOf = (probe: Probe): Json => byQuestion.get(JSON.stringify(probe)) ?? null
  if (when !== undefined && !when.holds(stateOf(when.probe))) return []
  return ops.map((op) => ({ op, state: stateOf(op.probe) }))
}

const stillOpen = (seen: readonly Seen[]): readonly Op[] => seen.filter(({ op, state }) => !op.isDone(state)).map(({ op }) => op)

/** A title as a function of the input. */
export const titleOf = <I extends Json>(title: string | ((input: I) => string)): ((input: I) => string) =>
  typeof title === 'string' ? () => title : title
