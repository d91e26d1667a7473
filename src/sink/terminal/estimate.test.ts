import { describe, expect, it } from 'vitest'
import { halfWay, SampleRun } from '../../../test/support/sample-run.ts'
import { aboutTime, clockTime, remaining } from './estimate.ts'
import { observe, type RunView, startView } from './state.ts'

function viewOf(run: SampleRun): RunView {
  const [first, ...rest] = run.events
  if (first?.type !== 'pipeline.started') throw new Error('a run starts with its outline')
  const view = startView(first)
  for (const event of rest) observe(view, event)
  return view
}

describe('remaining', () => {
  it('says nothing while too little is known', () => {
    const run = new SampleRun(['node1', 'node2']).begin('preflight.check', ['preflight.swap', 'Check', 'node1']).wait(3)
    expect(remaining(viewOf(run), run.now)).toBeNull()
  })

  it('adds up what earlier runs know of the critical path, less what has passed', () => {
    const run = new SampleRun(['node1']).begin('preflight.check', ['preflight.swap', 'Check', 'node1']).wait(3)
    const history = { 'preflight.swap': 4000, 'etcd.start': 20_000, 'kubeadm.init': 30_000, 'calico.ready': 10_000 }
    expect(remaining(viewOf(run), run.now, history)).toBe(1000 + 20_000 + 30_000 + 10_000)
  })

  it('takes the pace so far where the number of steps at once holds the run up', () => {
    const run = halfWay(3)
    // 7 of 24 steps in 37 s: 17 more take longer than the path, whose one finished step took 2 s.
    expect(remaining(viewOf(run), run.now)).toBeCloseTo((37_000 / 7) * 17, 0)
  })

  it('does not count steps that were done before a resume as pace', () => {
    const run = new SampleRun(['node1'])
    for (const step of ['a', 'b', 'c', 'd']) run.end('etcd.install', step, step, 'node1', 'resumed')
    run.begin('preflight.check', ['preflight.swap', 'Check', 'node1']).wait(8).end('preflight.check', 'preflight.swap', 'Check', 'node1')
    expect(remaining(viewOf(run), run.now)).toBe(3 * 8000)
  })

  it.each([
    ['after a failure', (run: SampleRun) => run.end('etcd.install', 'etcd.start', 'Start etcd', 'node1', 'failed')],
    ['when it is being cancelled', (run: SampleRun) => run.tell({ type: 'pipeline.cancelling', reason: 'Ctrl-C' })],
    ['at the end', (run: SampleRun) => run.finish('success')],
  ])('says nothing %s', (_, change) => {
    const run = change(halfWay(3))
    expect(remaining(viewOf(run), run.now)).toBeNull()
  })
})

it.each([
  [900, '0 s'],
  [42_400, '42 s'],
  [102_000, '1 m 42 s'],
  [3_725_000, '1 h 02 m'],
])('%i ms on the clock is %s', (ms, text) => expect(clockTime(ms)).toBe(text))

it.each([
  [3000, 'a few seconds left'],
  [12_000, 'about 20 s left'],
  [95_000, 'about 2 m left'],
  [3_600_000, 'about 1 h 00 m left'],
])('an estimate of %i ms is "%s"', (ms, text) => expect(aboutTime(ms)).toBe(text))
