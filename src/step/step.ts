import type { Change, Finding } from '../event/index.ts'
import type { Runner } from '../runner/index.ts'
import type { AnySlot, StepContext } from '../runtime/index.ts'
import type { Json } from '../util/json.ts'
import type { Millis } from '../util/time.ts'

/** What was there before a change: journaled before the change is made, and enough to put it back without the step that made it. */
export interface Receipt {
  /** The kind of op, or `custom` for a step that undoes itself. */
  readonly kind: string
  readonly id: string
  readonly does: string
  readonly before: Json
  /** What it is made, for finding drift later; hashes, never contents. */
  readonly desired?: Json
  /** Recorded in the host's ledger, so that deleting the cluster undoes it. */
  readonly owned: boolean
  /** Data of the user's workloads: left in place on delete unless asked for. */
  readonly data?: true
}

/** What a step sees of the world when it may change it. */
export interface ChangeContext extends StepContext {
  /**
   * The one way to change a host: journals the receipt, then lets `apply` work with a runner that carries the ledger line and the
   * fencing number along with its first change.
   */
  change(receipt: Receipt, apply: (on: Runner) => Promise<void>, limits?: ChangeLimits): Promise<void>
  /** Reports a finding; only checks do. */
  report(finding: Finding): void
  /** Tells something of this host that people want to know when the run is over: a line of its summary. */
  tell(label: string, text: string): void
}

/** What a step sees of the world when it puts back what it changed. */
export interface UndoContext extends StepContext {
  readonly on: Runner
}

export interface ChangeLimits {
  /** One holder per host at a time. */
  readonly lock?: LockName
  /** Counts against the number of transfers at once. */
  readonly transfer?: boolean
}

export type LockName = 'packages' | 'kernel' | 'units'

export type Precheck = { readonly is: 'satisfied' } | { readonly is: 'needed'; readonly changes: readonly Change[] }

export type Undo<I extends Json> =
  | ((ctx: UndoContext, input: I, receipts: readonly Receipt[]) => Promise<void>)
  | { readonly irreversible: string }

/** How a step's result is taken away again when the cluster is deleted. */
export interface Removal<I extends Json> {
  precheck(ctx: StepContext, input: I): Promise<Precheck>
  run(ctx: ChangeContext, input: I): Promise<void>
}

/** The atom a task is made of. */
export interface Step<I extends Json = null> {
  /** `etcd.start`: stable, since metrics, journal and docs use it. */
  readonly name: string
  /** What kind of work it is: checks collect findings, waits change nothing; neither is ever skipped on resume. */
  readonly sort: 'change' | 'check' | 'wait'
  readonly timeout: Millis
  /** Only errors that are worth it are retried. */
  readonly retry?: { readonly times: number; readonly every: Millis }
  readonly reads: readonly AnySlot[]
  readonly writes: readonly AnySlot[]
  /** For people, imperative: `Start etcd`. */
  title(input: I): string
  precheck(ctx: StepContext, input: I): Promise<Precheck>
  run(ctx: ChangeContext, input: I): Promise<void>
  verify(ctx: StepContext, input: I): Promise<void>
  readonly rollback: Undo<I>
  readonly remove: Removal<I> | null
}

/** Any step, where its input's type does not matter. */
export type AnyStep = Step<never>

export const satisfied: Precheck = { is: 'satisfied' }
export const needed = (...does: readonly string[]): Precheck => ({ is: 'needed', changes: does.map((d) => ({ does: d })) })
