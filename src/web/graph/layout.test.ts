import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPlan, hostNames, madeGraph } from '../../../test/support/console-graph.ts'
import { boxOfTarget, hit, neighbour } from './hit.ts'
import { type Box, layout } from './layout.ts'
import { graphModel } from './model.ts'

const overlap = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
const within = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height

const model = graphModel(createPlan(9))
const openings = fc.subarray(model.tasks.map((task) => task.index)).map((opened) => new Set(opened))

describe('layout', () => {
  it('lets no two boxes overlap, keeps tasks in their module and all in the drawing, whichever are opened', () => {
    fc.assert(
      fc.property(openings, (opened) => {
        const { modules, tasks, width, height } = layout(model, opened)
        for (const [at, module] of modules.entries()) {
          expect(within(module, { x: 0, y: 0, width: width + 0.01, height: height + 0.01 })).toBe(true)
          for (const other of modules.slice(at + 1)) expect(overlap(module, other)).toBe(false)
          const own = (model.modules[at]?.tasks ?? []).flatMap((task) => tasks[task] ?? [])
          for (const [first, task] of own.entries()) {
            expect(within(task, module)).toBe(true)
            for (const other of own.slice(first + 1)) expect(overlap(task, other)).toBe(false)
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  it('lets edges lead downwards, from what is needed to what needs it', () => {
    const { edges } = layout(model, new Set())
    expect(edges.length).toBeGreaterThan(8)
    for (const { y1, y2 } of edges) expect(y2).toBeGreaterThan(y1)
  })

  it('wraps the cells of many hosts into lines', () => {
    const many = graphModel(madeGraph([{ name: 'm', tasks: { t: 2 }, hosts: hostNames(500) }]))
    const [box] = layout(many, new Set([0])).tasks
    expect(box?.cells?.linesPerRow).toBe(Math.ceil(500 / 60))
    expect(box?.width).toBeLessThan(1300)
  })

  it('lays five thousand nodes out in no time, all opened', () => {
    const large = graphModel(createPlan(86))
    const start = performance.now()
    layout(large, new Set(large.tasks.map((task) => task.index)))
    expect(performance.now() - start).toBeLessThan(200)
  })
})

describe('hit', () => {
  it('finds in the middle of every cell the node whose cell it is', () => {
    const placed = layout(model, new Set(model.tasks.map((task) => task.index)))
    for (const node of model.nodes.filter(({ milestone }) => !milestone)) {
      const box = boxOfTarget(placed, model, { kind: 'node', index: node.index })
      if (box === null) throw new Error('a node has no place')
      expect(hit(placed, model, box.x + box.width / 2, box.y + box.height / 2)).toEqual({ kind: 'node', index: node.index })
    }
  })

  it('finds cells also where they are wrapped', () => {
    const many = graphModel(madeGraph([{ name: 'm', tasks: { t: 3 }, hosts: hostNames(130) }]))
    const placed = layout(many, new Set([0]))
    for (const node of many.nodes.filter(({ milestone }) => !milestone)) {
      const box = boxOfTarget(placed, many, { kind: 'node', index: node.index })
      expect(hit(placed, many, (box?.x ?? 0) + 2, (box?.y ?? 0) + 2)).toEqual({ kind: 'node', index: node.index })
    }
  })

  it('finds tasks, modules and nothing', () => {
    const placed = layout(model, new Set())
    const [task] = placed.tasks
    const [module] = placed.modules
    expect(hit(placed, model, (task?.x ?? 0) + 5, (task?.y ?? 0) + 5)).toEqual({ kind: 'task', index: 0 })
    expect(hit(placed, model, (module?.x ?? 0) + 2, (module?.y ?? 0) + 2)).toEqual({ kind: 'module', index: 0 })
    expect(hit(placed, model, -5, -5)).toBeNull()
  })
})

describe('neighbour', () => {
  it('leads from the first task down to the last, and never out of the graph', () => {
    const placed = layout(model, new Set())
    let at: { kind: 'task'; index: number } = { kind: 'task', index: 0 }
    const seen = new Set([0])
    for (
      let next = neighbour(placed, model, at, 'down');
      next !== null && next.kind === 'task';
      next = neighbour(placed, model, at, 'down')
    ) {
      expect(seen.has(next.index)).toBe(false)
      seen.add(next.index)
      at = { kind: 'task', index: next.index }
    }
    expect(model.tasks[at.index]?.name).toBe('nodes-ready')
    expect(neighbour(placed, model, { kind: 'task', index: 0 }, 'up')).toBeNull()
  })

  it('goes from host to host and from step to step inside an opened task', () => {
    const placed = layout(model, new Set([0]))
    const id = (index: number): string => model.nodes[index]?.id ?? ''
    const first = model.indexOf.get('preflight/preflight.step-1@node1') ?? -1
    const right = neighbour(placed, model, { kind: 'node', index: first }, 'right')
    const down = neighbour(placed, model, { kind: 'node', index: first }, 'down')
    expect(id(right?.index ?? -1)).toBe('preflight/preflight.step-1@node2')
    expect(id(down?.index ?? -1)).toBe('preflight/preflight.step-2@node1')
  })
})
