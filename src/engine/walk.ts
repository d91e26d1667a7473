import type { Milestone, Node, StepNode } from '../plan/index.ts'
import type { Limits } from './limits.ts'

/** Whether the walk goes on after a node; after a `cut` it goes on without what came of the node. */
export type Verdict = 'go-on' | 'stop' | 'cut'

/** What happens at the nodes: steps take time, milestones do not. */
export interface Visitor {
  step(node: StepNode): Promise<Verdict>
  milestone(node: Milestone): Verdict
  /** Whether a host is given up: its nodes are left out from now on. */
  isLost?(host: string): boolean
  /** Told of each node that is left out. */
  leftOut?(node: Node): void
}

/**
 * Visits each node once, after all it needs, as many at a time as the limits allow. After a `stop` nothing new is visited;
 * the walk ends when what is running has ended. After a `cut` only what cannot do without is left out. Linear in nodes and edges.
 */
export function walk(nodes: readonly Node[], visitor: Visitor, limits: Pick<Limits, 'total' | 'perHost'>): Promise<void> {
  const position = new Map(nodes.map((node, i) => [node.id, i]))
  const waiting = Int32Array.from(nodes, (node) => node.needs.length)
  const dependents: number[][] = nodes.map(() => [])
  for (const [i, node] of nodes.entries()) for (const need of node.needs) dependents[position.get(need) as number]?.push(i)

  const ready = new ReadyQueue(heights(nodes, dependents))
  const busy = new Map<string, number>()
  const heldBack = new Map<string, Line>()
  const cut = new Uint8Array(nodes.length)
  let running = 0
  let stopped = false
  let anyCut = false

  const isCut = (id: string): boolean => cut[position.get(id) as number] === 1
  const isMilestone = (id: string): boolean => nodes[position.get(id) as number]?.kind === 'milestone'
  const isLeftOut = (node: Node): boolean =>
    (node.kind === 'step' && visitor.isLost?.(node.host) === true) || (anyCut && lacks(node, isCut, isMilestone))

  return new Promise((resolve, reject) => {
    const settle = (i: number, verdict: Verdict): void => {
      if (verdict === 'stop') stopped = true
      else {
        if (verdict === 'cut' && !isRemoval(nodes[i] as Node)) {
          cut[i] = 1
          anyCut = true
        }
        for (const dependent of dependents[i] as number[]) {
          waiting[dependent] = (waiting[dependent] as number) - 1
          if (waiting[dependent] === 0) ready.add(dependent)
        }
      }
    }
    const release = (host: string): void => {
      running--
      busy.set(host, (busy.get(host) as number) - 1)
      nextOn(host)
    }
    const nextOn = (host: string): void => {
      const next = heldBack.get(host)?.take() ?? null
      if (next !== null) ready.add(next)
    }
    const start = (i: number, node: StepNode): void => {
      const { host } = node
      running++
      busy.set(host, (busy.get(host) ?? 0) + 1)
      visitor.step(node).then((verdict) => {
        release(host)
        settle(i, verdict)
        pump()
      }, reject)
    }
    const pump = (): void => {
      while (!stopped && running < limits.total) {
        const i = ready.take()
        if (i === null) break
        const node = nodes[i] as Node
        if (isLeftOut(node)) {
          visitor.leftOut?.(node)
          settle(i, 'cut')
          // It takes no place on its host: whoever waits there behind it gets the turn.
          if (node.kind === 'step') nextOn(node.host)
        } else if (node.kind === 'milestone') settle(i, visitor.milestone(node))
        else if ((busy.get(node.host) ?? 0) < limits.perHost) start(i, node)
        else holdBack(node.host, i)
      }
      if (running === 0) resolve()
    }
    const holdBack = (host: string, i: number): void => {
      const line = heldBack.get(host) ?? new Line()
      heldBack.set(host, line)
      line.add(i)
    }
    for (const [i] of nodes.entries()) if (waiting[i] === 0) ready.add(i)
    pump()
  })
}

/**
 * Whether a node lacks something it cannot do without: a stretch of the plan that came to nothing, or a step that was done on none of its
 * hosts. A step done on some of its hosts is enough for whoever waits for all of them.
 */
function lacks({ needs }: Node, isCut: (id: string) => boolean, isMilestone: (id: string) => boolean): boolean {
  const done = new Map<string, boolean>()
  for (const need of needs) {
    if (!isMilestone(need)) done.set(stepOf(need), done.get(stepOf(need)) === true || !isCut(need))
    else if (isCut(need)) return true
  }
  return [...done.values()].includes(false)
}

/** Taking something away gives nothing that others could lack: it only has its turn. */
const isRemoval = (node: Node): boolean => node.kind === 'step' && node.mode === 'remove'

/** The step of a node, whatever its host. */
const stepOf = (id: string): string => id.replace(/@[^@]*$/, '')

/** The length of the longest chain after each node: the longer it is, the sooner the node should start. */
function heights(nodes: readonly Node[], dependents: readonly (readonly number[])[]): Int32Array {
  const height = new Int32Array(nodes.length)
  for (let i = nodes.length - 1; i >= 0; i--) {
    for (const dependent of dependents[i] as readonly number[]) height[i] = Math.max(height[i] as number, (height[dependent] as number) + 1)
  }
  return height
}

/** First in, first out, without moving what is left. */
class Line {
  readonly #items: number[] = []
  #head = 0

  add(item: number): void {
    this.#items.push(item)
  }

  take(): number | null {
    if (this.#head === this.#items.length) return null
    const item = this.#items[this.#head++] as number
    // Emptied: start over, so that a long run does not keep what is done.
    if (this.#head === this.#items.length) this.#head = this.#items.length = 0
    return item
  }
}

/** Ready nodes by height, highest first, else in the order of the plan: adding and taking cost the same however many wait. */
class ReadyQueue {
  readonly #heights: Int32Array
  readonly #byHeight: Line[] = []
  #top = -1

  constructor(heightOf: Int32Array) {
    this.#heights = heightOf
  }

  add(i: number): void {
    const height = this.#heights[i] as number
    let line = this.#byHeight[height]
    if (line === undefined) this.#byHeight[height] = line = new Line()
    line.add(i)
    if (height > this.#top) this.#top = height
  }

  take(): number | null {
    for (; this.#top >= 0; this.#top--) {
      const next = this.#byHeight[this.#top]?.take() ?? null
      if (next !== null) return next
    }
    return null
  }
}
