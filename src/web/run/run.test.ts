import { describe, expect, it } from 'vitest'
import { createPlan, madeGraph } from '../../../test/support/console-graph.ts'
import type { EventJson, Graph } from '../api/types.ts'
import { timeLeft } from './eta.ts'
import { Run } from './run.ts'
import { taskSpan } from './span.ts'
import { doneIn, emptyTally, stateOf } from './states.ts'

const graph = madeGraph([{ name: 'etcd', tasks: { install: 2 }, hosts: ['a', 'b'] }])
const at = (second: number): string => new Date(1_000_000 + second * 1000).toISOString()
const place = (step: number, host: string) => ({
  module: 'etcd',
  task: 'install',
  step: `install.step-${step}`,
  host,
  node: `install/install.step-${step}@${host}`,
  title: `Step ${step}`,
})
const started = (second: number, step: number, host: string): EventJson => ({ type: 'step.started', at: at(second), ...place(step, host) })
const finished = (second: number, step: number, host: string, more: Partial<EventJson> = {}): EventJson => ({
  type: 'step.finished',
  at: at(second),
  outcome: 'succeeded',
  ms: 1000,
  ...place(step, host),
  ...more,
})
const trouble = {
  code: 'KX_COMMAND',
  problem: 'it ended with 1',
  fix: 'look at its output',
  seen: 'exit 1',
  params: { command: 'x', code: 1 },
}

/** A run that has heard these events, numbered from `first`. */
function heard(events: readonly EventJson[], given: Graph = graph, first = 1): Run {
  const run = new Run()
  run.load(given)
  run.apply(events.map((event, index) => ({ seq: first + index, event })))
  return run
}
const stateAt = (run: Run, step: number, host: string) => run.states[run.model.indexOf.get(place(step, host).node) ?? -1]

describe('Run', () => {
  it('follows the states of steps and counts them', () => {
    const run = heard([
      started(0, 1, 'a'),
      finished(1, 1, 'a'),
      started(1, 2, 'a'),
      started(1, 1, 'b'),
      finished(2, 1, 'b', { outcome: 'satisfied' }),
    ])
    expect(stateAt(run, 1, 'a')).toBe('succeeded')
    expect(stateAt(run, 2, 'a')).toBe('running')
    expect(run.total).toEqual({ ...emptyTally(), succeeded: 1, satisfied: 1, running: 1, pending: 1 })
    expect(run.tallyOf(0)).toEqual(run.total)
  })

  it('hears every event once, also when a connection is made anew', () => {
    const run = heard([started(0, 1, 'a'), finished(1, 1, 'a')])
    run.apply([{ seq: 2, event: finished(1, 1, 'a') }])
    expect(run.log).toHaveLength(2)
    expect(run.total.succeeded).toBe(1)
  })

  it('does not go back to what events say that are older than the plan it was given', () => {
    const known = {
      ...graph,
      seq: 2,
      nodes: graph.nodes.map((node) => (node.id === place(1, 'a').node ? { ...node, state: 'succeeded' as const, ms: 5 } : node)),
    }
    const run = heard([started(0, 1, 'a'), finished(1, 1, 'a', { changes: [{ does: 'write /x' }] }), started(2, 2, 'a')], known)
    expect(stateAt(run, 1, 'a')).toBe('succeeded')
    expect(stateAt(run, 2, 'a')).toBe('running')
    expect([...run.changes.values()]).toEqual([['write /x']])
    expect(run.log).toHaveLength(3)
  })

  it('applies what was told while the plan was on its way', () => {
    const run = new Run()
    run.apply([
      { seq: 1, event: { type: 'pipeline.started', at: at(0) } },
      { seq: 2, event: started(0, 1, 'a') },
    ])
    expect(run.needsGraph).toBe(true)
    run.load({ ...graph, seq: 1 })
    expect(run.needsGraph).toBe(false)
    expect(stateAt(run, 1, 'a')).toBe('running')
  })

  it('wants the plan again when another attempt begins, and forgets the troubles of the one before', () => {
    const run = heard([finished(1, 1, 'a', { outcome: 'failed', error: trouble }), { type: 'pipeline.started', at: at(5) }])
    expect(run.needsGraph).toBe(true)
    expect(run.problems).toEqual([])
    expect(run.log).toHaveLength(2)
  })

  it('says of what was not begun when the run ended that it is blocked', () => {
    const run = heard([
      finished(1, 1, 'a', { outcome: 'failed', error: trouble }),
      { type: 'pipeline.finished', at: at(2), outcome: 'failed', errors: [] },
    ])
    expect(run.total).toEqual({ ...emptyTally(), failed: 1, blocked: 3 })
  })

  it('gathers the same trouble on many hosts, and tells the errors of the end only once', () => {
    const error = (host: string) => ({ ...trouble, problem: `${host}: it ended with 1`, where: { host, step: 'install.step-1' } })
    const run = heard([
      finished(1, 1, 'a', { outcome: 'failed', error: error('a') }),
      finished(1, 1, 'b', { outcome: 'failed', error: error('b') }),
      {
        type: 'finding',
        at: at(1),
        ...place(2, 'a'),
        finding: { severity: 'warning', code: 'KX_SWAP_ON', problem: 'swap is on', fix: 'none' },
      },
      { type: 'pipeline.finished', at: at(2), outcome: 'failed', errors: [error('a'), error('b')] },
    ])
    expect(run.problems.map(({ severity, hosts, seen }) => [severity, hosts, seen])).toEqual([
      ['error', ['a', 'b'], 'exit 1'],
      ['warning', ['a'], null],
    ])
    const [failed] = run.model.nodes.filter(({ index }) => run.errors.has(index))
    expect(failed?.host).toBe('a')
  })

  it('knows errors that come only at the end', () => {
    const unreachable = { code: 'KX_HOSTS_UNREACHABLE', problem: '2 of 2 hosts cannot be reached', fix: 'check them' }
    const run = heard([{ type: 'pipeline.finished', at: at(2), outcome: 'failed', errors: [unreachable] }])
    expect(run.problems.map(({ error }) => error.code)).toEqual(['KX_HOSTS_UNREACHABLE'])
  })

  it('keeps retries, progress and the reason of a cancel', () => {
    const run = heard([
      started(0, 1, 'a'),
      { type: 'step.retrying', at: at(1), ...place(1, 'a'), attempt: 1, error: trouble },
      {
        type: 'step.progress',
        at: at(1),
        module: 'etcd',
        task: 'install',
        step: 'install.step-1',
        host: 'a',
        done: 5,
        total: 10,
        unit: 'bytes',
      },
      { type: 'pipeline.cancelling', at: at(2), reason: 'ops asked for it' },
    ])
    const node = run.model.indexOf.get(place(1, 'a').node) ?? -1
    expect(run.attempts.get(node)).toBe(1)
    expect(run.progress.get(node)).toEqual({ done: 5, total: 10, unit: 'bytes' })
    expect(run.cancelling).toBe('ops asked for it')
    expect(run.problems[0]?.kind).toBe('retry')
    expect(run.log.map(({ event }) => event.type)).not.toContain('step.progress')
  })

  it('lets the oldest lines go when there are very many', () => {
    const run = new Run()
    run.apply(Array.from({ length: 50_000 }, (_, index) => ({ seq: index + 1, event: { type: 'step.line', at: at(0), line: `${index}` } })))
    expect(run.log.length).toBeLessThan(45_000)
    expect(run.dropped + run.log.length).toBe(50_000)
    expect(run.log.at(-1)?.event.line).toBe('49999')
  })

  it('takes the events of five thousand nodes in without delay', () => {
    const plan = createPlan(86)
    const events = plan.nodes.flatMap((node, index): EventJson[] => {
      const base = {
        module: node.module,
        task: node.task,
        node: node.id,
        at: at(index / 100),
        ...(node.host === null ? {} : { host: node.host }),
      }
      return node.kind === 'milestone'
        ? []
        : [
            { ...base, type: 'step.started' },
            { ...base, type: 'step.finished', outcome: 'succeeded', ms: 10 },
          ]
    })
    const start = performance.now()
    const run = heard(events, plan)
    expect(run.total.succeeded).toBe(run.model.steps)
    expect(performance.now() - start).toBeLessThan(1000)
  })
})

describe('spans and estimates', () => {
  it('spans a task from its first start to its last end, and to now while it runs', () => {
    const run = heard([started(0, 1, 'a'), finished(1, 1, 'a'), started(3, 2, 'a')])
    const [task] = run.model.tasks
    expect(task === undefined ? null : taskSpan(run, task, 1_000_000 + 9000)?.ms).toBe(9000)
  })

  it('estimates nothing before a tenth is known or when all is done', () => {
    expect(timeLeft(heard([]), 1_000_000)).toBeNull()
    expect(timeLeft(heard([finished(1, 1, 'a'), finished(1, 2, 'a'), finished(1, 1, 'b'), finished(1, 2, 'b')]), 1_005_000)).toBeNull()
  })

  it('takes the rest of the critical path or the pace so far, whichever is longer', () => {
    const run = heard([started(0, 1, 'a'), finished(10, 1, 'a', { ms: 10_000 })])
    expect(timeLeft(run, 1_000_000 + 10_000)).toBe(30_000)
  })
})

describe('what a run has to say in the end', () => {
  it('is kept by what it is about, with the hosts it is said of, until a run begins again', () => {
    const run = heard([
      { type: 'result', at: at(1), label: 'endpoint', text: 'https://a:6443' },
      { type: 'result', at: at(1), label: 'clean', text: '12 things looked at', host: 'a' },
      { type: 'result', at: at(1), label: 'clean', text: '12 things looked at', host: 'b' },
    ])
    expect([...run.results].map(([label, said]) => [label, [...said]])).toEqual([
      ['endpoint', [['https://a:6443', []]]],
      ['clean', [['12 things looked at', ['a', 'b']]]],
    ])
    run.apply([{ seq: 4, event: { type: 'pipeline.started', at: at(2) } }])
    expect(run.results.size).toBe(0)
  })
})

describe('stateOf', () => {
  it.each([
    [{ succeeded: 3, failed: 1, running: 2 }, 'failed'],
    [{ succeeded: 3, running: 1 }, 'running'],
    [{ succeeded: 1, pending: 4 }, 'running'],
    [{ pending: 4 }, 'pending'],
    [{ satisfied: 4 }, 'satisfied'],
    [{ satisfied: 4, succeeded: 1 }, 'succeeded'],
    [{ resumed: 4, satisfied: 1 }, 'resumed'],
    [{ 'rolled-back': 1, 'rollback-failed': 1 }, 'rollback-failed'],
    [{ blocked: 3 }, 'blocked'],
  ] as const)('of %j is %s', (some, expected) => {
    const tally = { ...emptyTally(), ...some }
    expect(stateOf(tally)).toBe(expected)
    expect(doneIn(tally)).toBe(tally.succeeded + tally.satisfied + tally.resumed)
  })
})
