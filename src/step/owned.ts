import { type LedgerEntry, originals, readLedger, recordUndone } from '../ledger/index.ts'
import type { StepContext } from '../runtime/index.ts'
import { undoThing } from './generic/kinds.ts'
import { type ChangeContext, needed, type Precheck, satisfied } from './step.ts'

/** What kubexm owns on the host and may take away now: data of workloads stays unless it was asked for. */
export async function ownedThings(
  ctx: StepContext,
  which: (entry: LedgerEntry) => boolean = () => true,
): Promise<ReturnType<typeof originals>> {
  const entries = await readLedger(ctx.on)
  return originals(entries.filter((entry) => which(entry) && (ctx.run.purgeData || entry.data !== true)))
}

/** Data of workloads that stays on the host, though it came with the cluster: nobody asked for it to go. */
export async function keptData(ctx: StepContext): Promise<readonly LedgerEntry[]> {
  if (ctx.run.purgeData) return []
  return originals((await readLedger(ctx.on)).filter(({ data }) => data === true)).map(({ entry }) => entry)
}

/** Whether there is something of ours to take away, in words. */
export function toUndo(things: ReturnType<typeof originals>): Precheck {
  return things.length === 0 ? satisfied : needed(...things.map(({ entry }) => `undo: ${entry.does}`))
}

/** Puts owned things back as they were before kubexm came, newest first; each is struck from the ledger when it is done. */
export async function undoOwned(ctx: ChangeContext, things: ReturnType<typeof originals>): Promise<void> {
  for (const { entry, keys } of things) {
    await ctx.change({ kind: 'custom', id: entry.id, does: `undo: ${entry.does}`, before: null, owned: false }, async (on) => {
      await undoThing(on, entry.kind, entry.id, entry.before)
      await recordUndone(on, ctx.run.id, keys)
    })
  }
}
