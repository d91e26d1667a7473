import { fail, type KubexmError } from '../error/index.ts'
import type { Finding } from '../event/index.ts'
import type { AnySlot, StepContext } from '../runtime/index.ts'
import { eventually } from '../util/eventually.ts'
import type { Json } from '../util/json.ts'
import { formatMillis, type Millis, seconds } from '../util/time.ts'
import { titleOf } from './compose.ts'
import { needed, type Step, satisfied } from './step.ts'

interface DefinedStep<I extends Json> {
  readonly name: string
  readonly title: string | ((input: I) => string)
  readonly timeout: Millis
  readonly retry?: { readonly times: number; readonly every: Millis }
  readonly reads?: readonly AnySlot[]
  readonly writes?: readonly AnySlot[]
  readonly precheck?: Step<I>['precheck']
  readonly run: Step<I>['run']
  /** By default the precheck must hold after the run. */
  readonly verify?: Step<I>['verify']
  /** There is no default: say how it is undone, or why it can't be. */
  readonly rollback: Step<I>['rollback']
  readonly remove?: Step<I>['remove']
}

/** For the odd step that is not made of ops: kubeadm init, a drain, something on this machine. */
export function defineStep<I extends Json = null>(spec: DefinedStep<I>): Step<I> {
  const title = titleOf(spec.title)
  const { precheck } = spec
  return {
    name: spec.name,
    sort: 'change',
    timeout: spec.timeout,
    ...(spec.retry === undefined ? {} : { retry: spec.retry }),
    reads: spec.reads ?? [],
    writes: spec.writes ?? [],
    title,
    precheck: precheck ?? (async (_ctx, input) => needed(title(input))),
    run: spec.run,
    verify:
      spec.verify ??
      (async (ctx, input) => {
        if (precheck === undefined) return
        const after = await precheck(ctx, input)
        if (after.is === 'needed')
          throw fail('KX_VERIFY_FAILED', { title: title(input), what: after.changes.map((c) => c.does).join(', ') })
      }),
    rollback: spec.rollback,
    remove: spec.remove ?? null,
  }
}

interface DefinedCheck<I extends Json> {
  readonly name: string
  readonly title: string | ((input: I) => string)
  readonly timeout: Millis
  readonly check: (ctx: StepContext, input: I) => Promise<Finding | readonly Finding[] | null>
}

/** A preflight check: changes nothing, and reports; all checks run before any of them stops the run. */
export function defineCheck<I extends Json = null>(spec: DefinedCheck<I>): Step<I> {
  return {
    name: spec.name,
    sort: 'check',
    timeout: spec.timeout,
    reads: [],
    writes: [],
    title: titleOf(spec.title),
    precheck: async () => needed(),
    run: async (ctx, input) => {
      const found = await spec.check(ctx, input)
      for (const finding of found === null ? [] : [found].flat()) ctx.report(finding)
    },
    verify: async () => {},
    rollback: { irreversible: 'a check changes nothing' },
    remove: null,
  }
}

interface DefinedWait<I extends Json> {
  readonly name: string
  readonly title: string | ((input: I) => string)
  readonly timeout: Millis
  readonly every?: Millis
  readonly reads?: readonly AnySlot[]
  /** Null when it has come; else what is still missing, for the message when the time is up. */
  readonly until: (ctx: StepContext, input: I) => Promise<string | null>
  /** The error when the time is up, where there is more to say than what was missing: the last words of a service, for instance. */
  readonly orElse?: (ctx: StepContext, missing: string, input: I) => Promise<KubexmError>
}

/** Waits for something to come true on a host: the only way to wait. */
export function waitStep<I extends Json = null>(spec: DefinedWait<I>): Step<I> {
  const title = titleOf(spec.title)
  return {
    name: spec.name,
    sort: 'wait',
    timeout: spec.timeout,
    reads: spec.reads ?? [],
    writes: [],
    title,
    precheck: async (ctx, input) => ((await spec.until(ctx, input)) === null ? satisfied : needed()),
    run: async (ctx, input) => {
      let missing = ''
      // A little less than the step's own limit, so that the message can say what was missing.
      const within = spec.timeout * 0.95
      const came = await eventually(
        async () => {
          missing = (await spec.until(ctx, input)) ?? ''
          return missing === '' ? true : null
        },
        { every: spec.every ?? seconds(1), within, signal: ctx.signal, clock: ctx.clock },
      )
      if (came !== null) return
      if (spec.orElse !== undefined) throw await spec.orElse(ctx, missing, input)
      throw fail('KX_STEP_TIMEOUT', { title: title(input), limit: formatMillis(spec.timeout) }, { seen: missing })
    },
    verify: async () => {},
    rollback: { irreversible: 'a wait changes nothing' },
    remove: null,
  }
}
