import { membershipOf } from '../../../config/index.ts'
import { fail } from '../../../error/index.ts'
import { hostPaths } from '../../../runner/index.ts'
import { writeFile } from '../../../step/generic/file.ts'
import {
  composeStep,
  defineStep,
  keptData,
  lookForTraces,
  needed,
  ownedThings,
  satisfied,
  toUndo,
  undoOwned,
  undoTraces,
} from '../../../step/index.ts'
import { sha256 } from '../../../util/hash.ts'
import { minutes, seconds } from '../../../util/time.ts'

/** So that whoever works on the host next knows what cluster it is part of, and what that cluster keeps, whatever was lost elsewhere. */
export const noteMembership = composeStep({
  name: 'ownership.membership',
  title: 'Note on the host which cluster it is part of',
  timeout: minutes(1),
  ops: async ({ cluster, pki }) => {
    const { cert } = await pki.authority('kubernetes')
    const membership = membershipOf(cluster, sha256(cert))
    return [writeFile({ path: hostPaths.membership, content: `${JSON.stringify(membership, null, 2)}\n` })]
  },
})

/** The ledger remembers more than the plan: what a changed config or a newer version has no step for any more. */
export const sweep = defineStep({
  name: 'ownership.sweep',
  title: 'Undo what the ledger still names',
  timeout: minutes(5),
  precheck: async (ctx) => {
    const owned = toUndo(await ownedThings(ctx))
    if (owned.is === 'needed') return owned
    const { left } = await lookForTraces(ctx.on, ctx.run.id)
    return left.length === 0 ? satisfied : needed(...left.map(({ does }) => `undo again: ${does}`))
  },
  run: async (ctx) => {
    await undoOwned(ctx, await ownedThings(ctx))
    await undoTraces(ctx, await lookForTraces(ctx.on, ctx.run.id))
  },
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
    const traces = await lookForTraces(ctx.on, ctx.run.id)
    const found = traces.left.map(({ kind, id }) => `${kind} ${id}`).join(', ')
    if (traces.left.length > 0) throw fail('KX_NOT_CLEAN', { count: traces.left.length, what: found })
    const kept = await keptData(ctx)
    await ctx.change({ kind: 'custom', id: hostPaths.root, does: `remove ${hostPaths.root}`, before: null, owned: false }, (on) =>
      on.files.remove(hostPaths.root, { recursive: true }),
    )
    ctx.tell('clean', `nothing is left; looked at ${counted(traces.looked)}`)
    if (kept.length > 0) ctx.tell('kept', `${kept.map(({ kind, id }) => `${kind} ${id}`).join(', ')}: data, taken away with --purge-data`)
  },
  rollback: { irreversible: 'an empty ledger is made again by the next run' },
})

/** What people call things of a kind, one of them and several, where that is not just one more letter. */
const nouns: Readonly<Record<string, readonly [one: string, several: string]>> = {
  directory: ['directory', 'directories'],
  packages: ['set of packages', 'sets of packages'],
  'node-traces': ['list of mounts, interfaces and packet filter rules', 'lists of mounts, interfaces and packet filter rules'],
  'configured-service': ['taken over service', 'taken over services'],
}

/** `82 files, 9 services`: how many things of each kind. */
function counted(looked: ReadonlyMap<string, number>): string {
  const parts = [...looked]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, n]) => {
      const [one, several] = nouns[kind] ?? [kind, `${kind}s`]
      return `${n} ${n === 1 ? one : several}`
    })
  return parts.length === 0 ? 'its ledger, which names nothing' : parts.join(', ')
}
