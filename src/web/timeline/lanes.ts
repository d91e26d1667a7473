import type { Run } from '../run/run.ts'
import { nodeSpan } from '../run/span.ts'

export interface Bar {
  readonly node: number
  readonly from: number
  readonly to: number
  readonly lane: number
}

/** One host: its steps, those at the same time in lanes below each other. */
export interface HostLanes {
  readonly host: string
  readonly lanes: number
  readonly bars: readonly Bar[]
}

export interface Timeline {
  readonly from: number
  readonly to: number
  readonly hosts: readonly HostLanes[]
}

/** What ran where and when; null before anything ran. */
export function timelineOf(run: Run, now: number): Timeline | null {
  const byHost = new Map<string, { node: number; from: number; to: number }[]>(run.model.hosts.map((host) => [host, []]))
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const node of run.model.nodes) {
    const span = node.milestone || run.states[node.index] === 'resumed' ? null : nodeSpan(run, node.index, now)
    if (span === null) continue
    byHost.get(node.host)?.push({ node: node.index, from: span.from, to: span.to })
    from = Math.min(from, span.from)
    to = Math.max(to, span.to)
  }
  if (to < from) return null
  return {
    from,
    to: Math.max(to, from + 1),
    hosts: [...byHost].filter(([, spans]) => spans.length > 0).map(([host, spans]) => lanesOf(host, spans)),
  }
}

/** Each span goes into the first lane that is free by then. */
function lanesOf(host: string, spans: readonly { readonly node: number; readonly from: number; readonly to: number }[]): HostLanes {
  const ends: number[] = []
  const bars = spans
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
    .map((span) => {
      const free = ends.findIndex((end) => end <= span.from)
      const lane = free < 0 ? ends.length : free
      ends[lane] = span.to
      return { ...span, lane }
    })
  return { host, lanes: Math.max(1, ends.length), bars }
}

/** Round steps of time for an axis: at least so far apart. */
export function tickEvery(leastMs: number): number {
  const steps = [100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000]
  return steps.find((step) => step >= leastMs) ?? Math.ceil(leastMs / 3_600_000) * 3_600_000
}
