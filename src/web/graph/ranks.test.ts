import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { directNeeds, type Ranked, ranksOf } from './ranks.ts'

const things = (needs: readonly (readonly number[])[]): readonly Ranked[] => needs.map((need, index) => ({ index, needs: need }))
/** Anything may need anything, also in circles. */
const tangled = fc
  .array(fc.array(fc.nat(11), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .map((needs) => things(needs.map((need, at) => need.filter((other) => other !== at && other < needs.length))))
const acyclic = tangled.map((given) => given.map(({ index, needs }) => ({ index, needs: needs.filter((need) => need < index) })))

describe('ranksOf', () => {
  it('puts each behind what it needs, as early as that allows', () => {
    expect(ranksOf(things([[], [0], [0], [1, 2], []]))).toEqual([[0, 4], [1, 2], [3]])
  })

  it('puts every thing in exactly one rank, also when they need each other in a circle', () => {
    fc.assert(
      fc.property(tangled, (given) => {
        const placed = ranksOf(given).flat()
        expect(placed.toSorted((a, b) => a - b)).toEqual(given.map(({ index }) => index))
      }),
    )
  })

  it('never puts a thing before or beside one that it needs', () => {
    fc.assert(
      fc.property(acyclic, (given) => {
        const rank = new Map(ranksOf(given).flatMap((members, at) => members.map((index) => [index, at])))
        for (const { index, needs } of given) for (const need of needs) expect(rank.get(need)).toBeLessThan(rank.get(index) ?? -1)
      }),
    )
  })
})

describe('directNeeds', () => {
  it('leaves out what follows from others', () => {
    expect(directNeeds(things([[], [0], [0, 1]]))).toEqual([
      [0, 1],
      [1, 2],
    ])
  })

  it('keeps everything reachable, and ends when there are circles', () => {
    const reach = (edges: readonly (readonly [number, number])[], from: number): ReadonlySet<number> => {
      const seen = new Set<number>()
      const visit = (index: number): void => {
        if (index !== from) seen.add(index)
        for (const [need, by] of edges) if (by === index && !seen.has(need)) visit(need)
      }
      visit(from)
      return seen
    }
    fc.assert(
      fc.property(acyclic, (given) => {
        const all = given.flatMap(({ index, needs }) => needs.map((need) => [need, index] as const))
        const direct = directNeeds(given)
        for (const { index } of given) expect(reach(direct, index)).toEqual(reach(all, index))
      }),
    )
    fc.assert(fc.property(tangled, (given) => directNeeds(given).length <= given.flatMap(({ needs }) => needs).length))
  })
})
