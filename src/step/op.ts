import type { Probe, Runner, StateOf } from '../runner/index.ts'
import type { StepContext } from '../runtime/index.ts'
import type { Json } from '../util/json.ts'
import type { LockName } from './step.ts'

/**
 * What a generic step knows about its sort of thing on a host: how to see it, and how to put it back.
 * Undo needs only the id and the state before, so that journal and ledger can be replayed by any later process.
 */
export interface Kind<S extends Json = Json> {
  /** Stable: it is written into journals and ledgers. */
  readonly name: string
  /** How to see it; null where only the undo itself can tell whether it worked. */
  probe(id: string): Probe | null
  undo(on: Runner, id: string, before: S): Promise<void>
  /** Whether the thing is as it was before: what an undo must reach. */
  isBack(before: S, now: Json): boolean
  /** It may be that it cannot be taken away, and that this does no harm. */
  readonly mayStay?: true
  /** How to see it long after the change, where that takes more than its id; by default as `probe` does. */
  seeAgain?(made: Made<S>): Probe
  /** Whether it is still what it was made; by default every part of what was wanted of it must be as it was. */
  holds?(desired: Json, now: Json): boolean
  /** Whether something of ours is left when all is undone. Kinds that leave nothing to be found, such as settings of the kernel, have none. */
  isLeft?(before: S, now: Json): boolean
}

/** A thing as the ledger tells of it. */
export interface Made<S extends Json = Json> {
  readonly id: string
  readonly before: S
  readonly desired?: Json
}

/** One call of a generic step: a step is made of these, and a task cannot hold one. */
export interface Op {
  readonly kind: Kind
  readonly id: string
  /** For people: `write /etc/hosts`. Never a secret. */
  readonly does: string
  readonly probe: Probe
  readonly lock?: LockName
  readonly transfer?: boolean
  /** What the thing is to be, for finding drift later; hashes, never contents. */
  readonly desired?: Json
  /** Not recorded as ours: nothing to take away when the cluster is deleted. */
  readonly transient?: boolean
  /** Data of the user's workloads: kept on delete unless asked for. */
  readonly data?: boolean
  isDone(state: Json): boolean
  /** The state before the change with what undo needs besides, such as where the old content is kept. */
  capture(state: Json): Json
  apply(on: Runner, ctx: StepContext, state: Json): Promise<void>
}

interface OpSpec<P extends Probe, B extends Json> extends Pick<Op, 'id' | 'does' | 'lock' | 'transfer' | 'transient' | 'data' | 'desired'> {
  readonly kind: Kind<B>
  readonly probe: P
  isDone(state: StateOf<P>): boolean
  capture(state: StateOf<P>): B
  apply(on: Runner, ctx: StepContext, state: StateOf<P>): Promise<void>
}

/** Declares an op; the probe's type gives the states their types. */
export function defineOp<P extends Probe, B extends Json>(spec: OpSpec<P, B>): Op {
  // The one place where the state's type is forgotten: an op is only ever given the answer to its own probe.
  return spec as unknown as Op
}
