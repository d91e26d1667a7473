import { type LedgerEntry, ledgerLine, originals, recordUndone, undoneIn } from '../ledger/index.ts'
import { hostPaths, type Reader } from '../runner/index.ts'
import type { Json } from '../util/json.ts'
import { lookAgain } from './drift.ts'
import { undoThing } from './generic/kinds.ts'
import type { ChangeContext } from './step.ts'

/** What was looked at for the proof that nothing of ours is left on a host. */
export interface CleanLook {
  /** How many things of each kind were looked at. */
  readonly looked: ReadonlyMap<string, number>
  readonly left: readonly LedgerEntry[]
}

/**
 * Looks, in one round trip, at everything a run has undone on a host. Each thing was seen to be gone when it was undone; what a
 * program that was still running made again afterwards is found here.
 */
export async function lookForTraces(on: Reader, run: string): Promise<CleanLook> {
  const undone = originals(undoneIn((await on.files.read(hostPaths.ledger)) ?? '', on.host, run))
  const things = undone.flatMap(({ entry }) => {
    const look = lookAgain(entry)
    return look?.kind.isLeft === undefined ? [] : [{ entry, ...look }]
  })
  const states = (await on.inspect(things.map(({ probe }) => probe))) as readonly Json[]
  return {
    looked: new Map([...Map.groupBy(things, ({ entry }) => entry.kind)].map(([kind, those]) => [kind, those.length])),
    left: things.flatMap(({ entry, kind }, i) => (kind.isLeft?.(entry.before, states[i] as Json) === true ? [entry] : [])),
  }
}

/** Takes away what came back after it was undone. It is ours again until that is done: a run that ends in between is not the last word. */
export async function undoTraces(ctx: ChangeContext, { left }: CleanLook): Promise<void> {
  for (const entry of left) {
    const does = `undo again: ${entry.does}`
    await ctx.change({ kind: 'custom', id: entry.id, does, before: null, owned: false }, async (on) => {
      await on.files.append(hostPaths.ledger, ledgerLine(entry))
      await undoThing(on, entry.kind, entry.id, entry.before)
      await recordUndone(on, ctx.run.id, [entry.key])
    })
  }
}
