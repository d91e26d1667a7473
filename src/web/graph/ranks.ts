/** A thing that is to be drawn behind what it needs. */
export interface Ranked {
  readonly index: number
  readonly needs: readonly number[]
}

/**
 * Sorts things into ranks: each stands behind all it needs, as early as that allows.
 * Tasks of two modules may be interleaved, so that the modules need each other: an edge that would close a circle is left out.
 */
export function ranksOf(things: readonly Ranked[]): readonly (readonly number[])[] {
  const within = new Map(things.map((thing) => [thing.index, thing]))
  const rank = new Map<number, number>()
  const open = new Set<number>()
  const visit = (thing: Ranked): number => {
    const known = rank.get(thing.index)
    if (known !== undefined) return known
    open.add(thing.index)
    let depth = 0
    for (const need of thing.needs) {
      const needed = within.get(need)
      if (needed !== undefined && !open.has(need)) depth = Math.max(depth, visit(needed) + 1)
    }
    open.delete(thing.index)
    rank.set(thing.index, depth)
    return depth
  }
  const ranks: number[][] = []
  for (const thing of things) {
    const depth = visit(thing)
    ranks[depth] ??= []
    ranks[depth].push(thing.index)
  }
  return Array.from(ranks, (members) => members ?? [])
}

/** The needs that say something: those that do not follow from others. */
export function directNeeds(things: readonly Ranked[]): readonly (readonly [from: number, to: number])[] {
  const within = new Map(things.map((thing) => [thing.index, thing]))
  const reach = new Map<number, ReadonlySet<number>>()
  const above = (index: number, open: ReadonlySet<number> = new Set()): ReadonlySet<number> => {
    const known = reach.get(index)
    if (known !== undefined) return known
    const all = new Set<number>()
    for (const need of within.get(index)?.needs ?? []) {
      if (!within.has(need) || open.has(need)) continue
      all.add(need)
      for (const further of above(need, new Set([...open, index]))) all.add(further)
    }
    reach.set(index, all)
    return all
  }
  return things.flatMap((thing) => {
    const needs = thing.needs.filter((need) => within.has(need))
    return needs
      .filter((need) => !needs.some((other) => other !== need && above(other).has(need)))
      .map((need) => [need, thing.index] as const)
  })
}
