import { fail } from '../../../error/index.ts'
import { hostPaths } from '../../../runner/index.ts'
import { defineStep, needed, ownedThings, satisfied, toUndo, undoOwned } from '../../../step/index.ts'
import { minutes, seconds } from '../../../util/time.ts'

/** The ledger remembers more than the plan: what a changed config or a newer version has no step for any more. */
export const sweep = defineStep({
  name: 'ownership.sweep',
  title: 'Undo what the ledger still names',
  timeout: minutes(5),
  precheck: async (ctx) => toUndo(await ownedThings(ctx)),
  run: async (ctx) => undoOwned(ctx, await ownedThings(ctx)),
  rollback: { irreversible: 'what is removed is made again by creating the cluster' },
})

/** The proof of a clean removal: nothing is left that the ledger calls ours. Then the ledger itself goes. */
export const forget = defineStep({
  name: 'ownership.forget',
  title: 'Prove that nothing is left, and forget the host',
  timeout: seconds(30),
  precheck: async (ctx) => {
    const [root] = await ctx.on.inspect([{ kind: 'file', path: hostPaths.root }])
    return root.type === 'absent' ? satisfied : needed(`remove ${hostPaths.root}`)
  },
  run: async (ctx) => {
    const left = await ownedThings(ctx)
    const names = left.map(({ entry }) => `${entry.kind} ${entry.id}`).join(', ')
    if (left.length > 0) throw fail('KX_NOT_CLEAN', { count: left.length, what: names })
    await ctx.change({ kind: 'custom', id: hostPaths.root, does: `remove ${hostPaths.root}`, before: null, owned: false }, (on) =>
      on.files.remove(hostPaths.root, { recursive: true }),
    )
  },
  rollback: { irreversible: 'an empty ledger is made again by the next run' },
})
