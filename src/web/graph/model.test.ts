import { describe, expect, it } from 'vitest'
import { createPlan, madeGraph } from '../../../test/support/console-graph.ts'
import { graphModel } from './model.ts'

describe('graphModel', () => {
  const model = graphModel(
    madeGraph([
      { name: 'os', tasks: { swap: 2 }, hosts: ['a', 'b'] },
      { name: 'etcd', after: ['os'], tasks: { install: 1, start: 1 }, hosts: ['b'] },
      { name: 'lb', after: ['os'], tasks: { haproxy: 1 }, hosts: ['c'] },
    ]),
  )

  it('groups steps by module, task and row, with a cell for each host', () => {
    expect(model.modules.map(({ name, tasks }) => [name, tasks.map((task) => model.tasks[task]?.name)])).toEqual([
      ['os', ['swap']],
      ['etcd', ['install', 'start']],
      ['lb', ['haproxy']],
    ])
    const [swap] = model.tasks
    expect(swap?.hosts).toEqual(['a', 'b'])
    expect(swap?.rows.map(({ title, cells }) => [title, cells.map((node) => model.nodes[node]?.host)])).toEqual([
      ['Step 1 of swap', ['a', 'b']],
      ['Step 2 of swap', ['a', 'b']],
    ])
    expect(model.steps).toBe(7)
    expect(model.hosts).toEqual(['a', 'b', 'c'])
  })

  it('knows which tasks and modules wait for which, through milestones', () => {
    expect(model.tasks.map(({ name, needs }) => [name, needs.map((need) => model.tasks[need]?.name)])).toEqual([
      ['swap', []],
      ['install', ['swap']],
      ['start', ['install']],
      ['haproxy', ['swap']],
    ])
    expect(model.modules.map(({ needs }) => needs)).toEqual([[], [0], [0]])
  })

  it('leaves a cell empty where a step does not run', () => {
    const graph = madeGraph([{ name: 'm', tasks: { t: 1 }, hosts: ['a', 'b'] }])
    const only = { ...graph.nodes.find((node) => node.host === 'b') }
    const extra = { ...only, id: 't/t.other@b', step: 't.other', title: 'Other' } as (typeof graph.nodes)[number]
    const [, other] = graphModel({ ...graph, nodes: [...graph.nodes, extra] }).tasks[0]?.rows ?? []
    expect(other?.cells[0]).toBe(-1)
    expect(other?.cells[1]).toBeGreaterThan(0)
  })

  it('takes tasks of the same name in two modules for two tasks', () => {
    const twice = graphModel(
      madeGraph([
        { name: 'm1', tasks: { same: 1 }, hosts: ['a'] },
        { name: 'm2', tasks: { same: 1 }, hosts: ['b'] },
      ]),
    )
    expect(twice.tasks).toHaveLength(2)
  })

  it('marks what is on the critical path', () => {
    expect(model.nodes.filter(({ critical, milestone }) => critical && !milestone).map(({ host }) => host)).toEqual(['a', 'a'])
    expect(model.tasks.map(({ critical }) => critical)).toEqual([true, false, false, false])
  })

  it('groups five thousand nodes without delay', () => {
    const graph = createPlan(86)
    expect(graph.nodes.length).toBeGreaterThan(5000)
    const start = performance.now()
    graphModel(graph)
    // Loose, as machines differ: it takes about 15 ms, and a quadratic one would take seconds.
    expect(performance.now() - start).toBeLessThan(500)
  })
})
