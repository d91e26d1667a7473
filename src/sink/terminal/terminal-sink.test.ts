import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { halfWay, SampleRun } from '../../../test/support/sample-run.ts'
import { fail } from '../../error/index.ts'
import type { Sink } from '../../event/index.ts'
import { terminalSink } from './terminal-sink.ts'

type Options = Partial<Parameters<typeof terminalSink>[0]>

function open(options: Options = {}): { readonly sink: Sink; text(): string } {
  const parts: string[] = []
  return { sink: terminalSink({ stream: { write: (part) => parts.push(part) }, isTTY: false, ...options }), text: () => parts.join('') }
}

function show(run: SampleRun, options: Options = {}): string {
  const { sink, text } = open(options)
  for (const event of run.events) sink.accept(event)
  return text()
}

function whole(): SampleRun {
  const run = halfWay(3)
  for (const host of ['node1', 'node2']) run.end('etcd.install', 'etcd.start', 'Start etcd', host)
  run.wait(4).end('etcd.install', 'etcd.upload', 'Upload etcd 3.5.21', 'node3').endTask('etcd.install')
  return run.endTask('containerd.install').finish('success')
}

function broken(): SampleRun {
  const run = halfWay(3)
    .end('etcd.install', 'etcd.start', 'Start etcd', 'node1', 'failed')
    .end('etcd.install', 'etcd.start', 'Start etcd', 'node2', 'failed')
  run
    .wait(2)
    .end('etcd.install', 'etcd.upload', 'Upload etcd 3.5.21', 'node3', 'cancelled')
    .endTask('etcd.install', 'failed')
    .endTask('containerd.install', 'blocked')
  return run.finish('failed')
}

describe('in a pipe', () => {
  it.each([
    ['plain-success', whole(), {}],
    ['plain-failure', broken(), { resumeCommand: 'kubexm create cluster -f c.yaml --resume' }],
    ['plain-failure-60', broken(), { columns: 60 }],
    ['plain-cancelled', halfWay(3).tell({ type: 'pipeline.cancelling', reason: 'Ctrl-C' }).wait(1).finish('cancelled'), {}],
  ])('%s', async (name, run, options) => {
    const text = show(run, options)
    expect(text).not.toContain('\u001b')
    await expect(text).toMatchFileSnapshot(`golden/${name}.txt`)
  })

  it('says which hosts a run goes on without, and names them at the end', () => {
    const run = halfWay(3).end('etcd.install', 'etcd.start', 'Start etcd', 'node1', 'failed')
    const error = run.errors[0] ?? fail('KX_BUG', { what: 'nothing failed' })
    const text = show(run.tell({ type: 'host.lost', host: 'node1', error }).wait(3).finish('failed'))
    expect(text.match(/KX_STEP_FAILED {2}node1: /g)).toHaveLength(1)
    expect(text).toMatch(/^\d\d:\d\d ⚠ going on without node1$/m)
    expect(text).toMatch(/^ {2}given up {3}node1$/m)
  })

  it('says that a second run changed nothing', () => {
    const run = new SampleRun(['node1'])
    for (const step of ['a', 'b']) run.end('etcd.install', step, step, 'node1', 'satisfied')
    expect(show(run.finish('success'))).toContain('succeeded in 0 ms on 1 host: nothing to change')
  })

  it('shows what commands print, debug notes and retries only when asked', () => {
    const error = fail('KX_COMMAND', { command: 'true', code: 1 })
    const place = { module: 'etcd', task: 'etcd.install', step: 'etcd.start', host: 'node1' }
    const run = new SampleRun(['node1'])
      .tell({ ...place, type: 'step.line', stream: 'stdout', line: 'unpacking\u001b[2J' })
      .tell({ ...place, type: 'note', level: 'debug', message: 'tried twice' })
      .tell({ ...place, type: 'note', level: 'warn', message: 'the clock is off' })
      .tell({ ...place, type: 'step.retrying', node: 'n', title: 'Start etcd', attempt: 1, error })
    const [quiet, verbose] = [show(run), show(run, { verbose: true })]
    expect(quiet).not.toMatch(/unpacking|tried twice/)
    expect(quiet).toContain('⚠ node1 │ the clock is off')
    expect(verbose).toContain('node1 │ unpacking\n')
    expect(verbose).toContain('tried twice')
    expect(quiet).toContain('Start etcd, try 1 failed: "true" ended with 1')
  })

  it('tells three hundred failures of one kind without three hundred blocks', () => {
    const run = halfWay(300)
    for (let i = 1; i <= 200; i++) run.end('etcd.install', 'etcd.start', 'Start etcd', `node${i}`, 'failed')
    const text = show(run.finish('failed'))
    expect(text.match(/Fix: mend/g)).toHaveLength(1)
    expect(text.split('\n').length).toBeLessThan(40)
    expect(text).toMatch(/failed +KX_STEP_FAILED {2}etcd\.start on node1, node2, .* and \d+ more/)
    expect(text).toContain('200 failed')
  })

  it('tells an error that no step reported, and none twice', () => {
    const run = broken()
    const text = show(
      new SampleRun(['node1']).tell({
        type: 'pipeline.finished',
        outcome: 'failed',
        ms: 5,
        errors: [fail('KX_BUG', { what: 'the moon' })],
      }),
    )
    expect(text).toContain('✗ KX_BUG  kubexm made a mistake: the moon')
    expect(show(run).match(/node1: Start etcd failed/g)).toHaveLength(1)
  })
})

describe('on a terminal', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const terminal = { isTTY: true, columns: 100, rows: 30, color: false, now: () => Date.UTC(2026, 0, 2, 3, 4, 42) } as const

  it('draws at most ten frames a second, keeps failures above and ends with the summary and the cursor back', () => {
    const writes: string[] = []
    const sink = terminalSink({ ...terminal, stream: { write: (text) => writes.push(text) } })
    const { events } = broken()
    for (const event of events.slice(0, -1)) sink.accept(event)
    expect(writes).toEqual([])
    vi.advanceTimersByTime(1000)
    expect(writes.length).toBeLessThanOrEqual(11)
    expect(writes.join('')).toContain('✗ KX_STEP_FAILED  node1: Start etcd failed')
    sink.accept(events.at(-1) as (typeof events)[number])
    const before = writes.length
    vi.advanceTimersByTime(1000)
    expect(writes).toHaveLength(before)
    expect(writes.slice(-2).join('')).toContain('\u001b[?25h')
    expect(stripVTControlCharacters(writes.at(-1) ?? '')).toContain('✗ create-cluster failed after 39.0 s on 3 hosts')
  })

  it('prints at once what comes before a run', () => {
    const { sink, text } = open(terminal)
    sink.accept({ type: 'note', level: 'warn', at: new Date(0), pipelineId: '', pipeline: '', message: 'the password is a literal' })
    expect(text()).toBe('⚠ the password is a literal\n')
  })

  it('gives the cursor back when it is flushed in the middle of a run', async () => {
    const { sink, text } = open(terminal)
    for (const event of halfWay(3).events) sink.accept(event)
    vi.advanceTimersByTime(100)
    await sink.flush?.()
    expect(text().lastIndexOf('\u001b[?25h')).toBeGreaterThan(text().lastIndexOf('\u001b[?25l'))
  })
})
