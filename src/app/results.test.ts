import { describe, expect, it } from 'vitest'
import { graphOf, inTemporaryDirectory, nodeOf, runGraph } from '../../test/support/engine-run.ts'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import { withWholeCluster } from '../../test/support/whole-cluster.ts'
import type { NodeState } from '../event/index.ts'
import { pipelines } from '../pipeline/index.ts'
import { defineStep } from '../step/index.ts'
import { seconds } from '../util/time.ts'
import { resultsOf } from './results.ts'

describe('what is told when a cluster was created', () => {
  it.each([
    {
      ready: 'satisfied',
      lost: [],
      rehearsed: false,
      said: ['endpoint', 'access', 'kubectl', 'nodes'],
      nodes: '3 ready (2 control plane, 1 worker)',
    },
    { ready: 'succeeded', lost: ['w1'], rehearsed: true, said: ['endpoint', 'nodes'], nodes: '2 ready (2 control plane)' },
    { ready: 'failed', lost: [], rehearsed: false, said: [], nodes: null },
    { ready: 'blocked', lost: ['m1'], rehearsed: false, said: [], nodes: null },
  ])('nodes $ready, lost: $lost', ({ ready, lost, rehearsed, said, nodes }) =>
    withWholeCluster({ type: 'kubexm', etcd: 'kubexm', masters: 2 }, async (rehearsal) => {
      const graph = rehearsal.plan(pipelines['create-cluster'])
      const states = new Map<string, NodeState>(
        graph.nodes.map((node) => [node.id, node.kind === 'step' && node.step.name === 'nodes.ready' ? (ready as NodeState) : 'succeeded']),
      )
      const ended = { ...rehearsal.world, graph, rehearsed }
      const results = resultsOf('create-cluster', ended, { outcome: 'success', states, lost: new Set(lost) })
      expect(results.map(({ label }) => label)).toEqual(said)
      expect(results.find(({ label }) => label === 'nodes')?.text.replace(/,[^,]*$/, '') ?? null).toBe(nodes)
      const access = results.find(({ label }) => label === 'access')?.text
      if (access !== undefined) expect(access).toBe(`export KUBECONFIG=${rehearsal.world.paths.kubeconfig}`)
    }),
  )
})

it('the chain of steps that decided how long a run took is measured, and told with its end', () =>
  inTemporaryDirectory(async (directory) => {
    const clock = new VirtualClock()
    const step = (name: string, time: number) =>
      defineStep({
        name,
        title: `Do ${name}`,
        timeout: seconds(60),
        run: async (ctx) => {
          ctx.tell('note', `${name} ran`)
          await clock.sleep(seconds(time))
        },
        rollback: { irreversible: 'a test' },
      })
    // By the number of steps the chain over a and b is longer; by time the one over c is.
    const graph = graphOf(
      nodeOf(step('a', 1), { id: 'a@h1' }),
      nodeOf(step('b', 2), { id: 'b@h1', needs: ['a@h1'] }),
      nodeOf(step('c', 9), { id: 'c@h2', host: 'h2' }),
      nodeOf(step('d', 3), { id: 'd@h1', needs: ['b@h1', 'c@h2'] }),
    )
    const { events } = await runGraph(graph, directory, { clock, results: ({ outcome }) => [{ label: 'end', text: outcome }] })
    expect(events.find(({ type }) => type === 'pipeline.finished')).toMatchObject({
      criticalPath: [
        { title: 'Do c', host: 'h2', ms: 9000 },
        { title: 'Do d', host: 'h1', ms: 3000 },
      ],
    })
    const results = events.filter(({ type }) => type === 'result')
    expect(results.map((event) => [event.host, event.type === 'result' ? event.text : ''])).toEqual(
      expect.arrayContaining([
        ['h1', 'a ran'],
        ['h2', 'c ran'],
        [undefined, 'success'],
      ]),
    )
    expect(events.findIndex((event) => event.type === 'result' && event.label === 'end')).toBe(events.length - 2)
  }))
