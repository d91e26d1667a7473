import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeOf } from '../../test/support/engine-run.ts'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import { fragmentOf, type StepNode, seal } from '../plan/index.ts'
import { defineStep } from '../step/index.ts'
import { type Visitor, walk } from './walk.ts'

const step = defineStep({ name: 'test.step', title: 'Do', timeout: 1000, run: async () => {}, rollback: { irreversible: 'a test' } })

/** A random graph: each node may need any of those before it. */
const graphs = fc
  .array(
    fc.record({ host: fc.integer({ min: 0, max: 4 }), ms: fc.integer({ min: 0, max: 50 }), needs: fc.array(fc.nat(), { maxLength: 3 }) }),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .map((specs) =>
    specs.map(({ host, ms, needs }, i) => ({
      ms,
      node: nodeOf(step, { id: `n${i}`, host: `h${host}`, needs: i === 0 ? [] : [...new Set(needs.map((n) => `n${n % i}`))] }),
    })),
  )

interface Visit {
  readonly id: string
  readonly host: string
  readonly start: number
  end: number
}

async function visits(
  specs: readonly { node: StepNode; ms: number }[],
  limits: { total: number; perHost: number },
  failing: string | null = null,
) {
  const clock = new VirtualClock()
  const seen: Visit[] = []
  const sealed = seal('test', fragmentOf(specs.map(({ node }) => node)))
  const duration = new Map(specs.map(({ node, ms }) => [node.id, ms]))
  let order = 0
  await clock.run(
    walk(
      sealed.nodes,
      {
        milestone: () => 'go-on',
        step: async (node) => {
          const visit = { id: node.id, host: node.host, start: order++, end: Number.POSITIVE_INFINITY }
          seen.push(visit)
          await clock.sleep(duration.get(node.id) ?? 0)
          visit.end = order++
          return node.id === failing ? 'stop' : 'go-on'
        },
      },
      limits,
    ),
  )
  return seen
}

/** The largest number of visits under way at one moment. */
function atOnce(seen: readonly Visit[]): number {
  return Math.max(0, ...seen.map((one) => seen.filter((other) => other.start <= one.start && other.end > one.start).length))
}

describe('walk', () => {
  it('visits every node once, after all it needs, within the limits', () =>
    fc.assert(
      fc.asyncProperty(graphs, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 3 }), async (specs, total, perHost) => {
        const seen = await visits(specs, { total, perHost })
        const byId = new Map(seen.map((visit) => [visit.id, visit]))
        expect(seen).toHaveLength(specs.length)
        expect(byId.size).toBe(specs.length)
        for (const { node } of specs) {
          for (const need of node.needs) expect(byId.get(need)?.end).toBeLessThan(byId.get(node.id)?.start ?? -1)
        }
        expect(atOnce(seen)).toBeLessThanOrEqual(total)
        for (const host of new Set(seen.map((visit) => visit.host))) {
          expect(atOnce(seen.filter((visit) => visit.host === host))).toBeLessThanOrEqual(perHost)
        }
      }),
      { numRuns: 300 },
    ))

  it('starts nothing new after a stop, and ends', () =>
    fc.assert(
      fc.asyncProperty(graphs, fc.nat(), async (specs, pick) => {
        const failing = specs[pick % specs.length]?.node.id ?? null
        const seen = await visits(specs, { total: 4, perHost: 2 }, failing)
        const stopped = seen.find((visit) => visit.id === failing)?.end ?? -1
        expect(seen.filter((visit) => visit.start > stopped)).toEqual([])
        expect(seen.every((visit) => Number.isFinite(visit.end))).toBe(true)
      }),
      { numRuns: 200 },
    ))

  it('goes on without a host that is lost, and visits or leaves out every node once', () =>
    fc.assert(
      fc.asyncProperty(graphs, fc.nat(), async (specs, pick) => {
        const failing = specs[pick % specs.length]?.node
        const clock = new VirtualClock()
        const [visited, leftOut, lost] = [new Set<string>(), new Set<string>(), new Set<string>()]
        const visitor: Visitor = {
          milestone: () => 'go-on',
          step: async (node) => {
            expect(lost).not.toContain(node.host)
            visited.add(node.id)
            await clock.sleep(1)
            if (node === failing) lost.add(node.host)
            return node === failing ? 'cut' : 'go-on'
          },
          isLost: (host) => lost.has(host),
          leftOut: ({ id }) => void leftOut.add(id),
        }
        const { nodes } = seal('test', fragmentOf(specs.map(({ node }) => node)))
        await clock.run(walk(nodes, visitor, { total: 4, perHost: 1 }))
        expect(new Set([...visited, ...leftOut])).toEqual(new Set(nodes.map(({ id }) => id)))
        expect(visited.size + leftOut.size).toBe(nodes.length)
        // Every node here is a step of its own: what needs one that is not done is not done either.
        const undone = new Set([failing?.id ?? '', ...leftOut])
        for (const { id, needs } of nodes) if (needs.some((need) => undone.has(need))) expect(leftOut).toContain(id)
      }),
      { numRuns: 200 },
    ))

  it('starts the head of the longest chain first', async () => {
    const chain = ['a1', 'a2', 'a3'].map((id, i, all) => nodeOf(step, { id, needs: i === 0 ? [] : [all[i - 1] as string] }))
    const seen = await visits(
      [nodeOf(step, { id: 'short' }), ...chain].map((node) => ({ node, ms: 10 })),
      { total: 1, perHost: 1 },
    )
    expect(seen.map((visit) => visit.id)).toEqual(['a1', 'a2', 'short', 'a3'].sort((a, b) => order(a) - order(b)))
    function order(id: string): number {
      return seen.findIndex((visit) => visit.id === id)
    }
    expect(seen[0]?.id).toBe('a1')
  })
})
