import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostNames, madeGraph } from '../../../test/support/console-graph.ts'
import { shownRows } from '../parts/window.ts'
import { Run } from '../run/run.ts'
import { rowTops } from './draw.ts'
import { tickEvery, timelineOf } from './lanes.ts'

/** A run in which each node began and took so long. */
function ran(spans: readonly (readonly [start: number, ms: number])[]): Run {
  const graph = madeGraph([{ name: 'm', tasks: { t: Math.max(1, Math.ceil(spans.length / 2)) }, hosts: hostNames(2) }])
  const steps = graph.nodes.filter(({ kind }) => kind === 'step')
  const times = new Map(spans.map((span, at) => [steps[at]?.id, span]))
  const run = new Run()
  run.load({
    ...graph,
    nodes: graph.nodes.map((node) => {
      const span = times.get(node.id)
      return span === undefined ? node : { ...node, state: 'succeeded' as const, started_at: new Date(span[0]).toISOString(), ms: span[1] }
    }),
  })
  return run
}

describe('timelineOf', () => {
  it('is nothing before anything ran', () => expect(timelineOf(ran([]), 0)).toBeNull())

  it('puts every step in a lane of its host, and no two at the same time in one', () => {
    const spans = fc.array(fc.tuple(fc.nat(1000), fc.nat(300)), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(spans, (given) => {
        const timeline = timelineOf(ran(given), 5000)
        const bars = timeline?.hosts.flatMap((host) => host.bars) ?? []
        expect(bars).toHaveLength(given.length)
        expect(timeline?.from).toBe(Math.min(...given.map(([start]) => start)))
        for (const host of timeline?.hosts ?? [])
          for (const [at, bar] of host.bars.entries()) {
            expect(bar.lane).toBeLessThan(host.lanes)
            for (const other of host.bars.slice(at + 1))
              if (other.lane === bar.lane) expect(other.from >= bar.to || bar.from >= other.to).toBe(true)
          }
      }),
    )
  })

  it('uses no more lanes than steps ran at once', () => {
    const timeline = timelineOf(
      ran([
        [0, 10],
        [10, 10],
        [20, 10],
      ]),
      99,
    )
    expect(timeline?.hosts.map(({ lanes }) => lanes)).toEqual([1, 1])
    expect(rowTops(timeline?.hosts ?? [])).toHaveLength(3)
  })
})

describe('tickEvery', () => {
  it('is round and not less than asked for', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 1e8, noNaN: true }), (least) => {
        expect(tickEvery(least)).toBeGreaterThanOrEqual(least)
        expect(tickEvery(least) % 100).toBe(0)
      }),
    )
  })
})

describe('shownRows', () => {
  it('covers what can be seen and stays in the list', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(3_000_000), fc.nat(2000), (count, scrolled, height) => {
        const { first, end } = shownRows(count, 20, scrolled, height)
        expect(first).toBeGreaterThanOrEqual(0)
        expect(end).toBeLessThanOrEqual(count)
        expect(end - first).toBeLessThanOrEqual(height / 20 + 26)
        const firstSeen = Math.floor(scrolled / 20)
        if (firstSeen < count) expect(first <= firstSeen && end > firstSeen).toBe(true)
      }),
    )
  })
})
