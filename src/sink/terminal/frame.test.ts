import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { halfWay, SampleRun } from '../../../test/support/sample-run.ts'
import type { RunEvent } from '../../event/index.ts'
import { styleOf } from '../style.ts'
import { width } from '../text.ts'
import { renderFrame } from './frame.ts'
import { observe, type RunView, startView } from './state.ts'

function viewOf(events: readonly RunEvent[]): RunView {
  const [first, ...rest] = events
  if (first?.type !== 'pipeline.started') throw new Error('a run starts with its outline')
  const view = startView(first)
  for (const event of rest) observe(view, event)
  return view
}

function failing(hosts: number): SampleRun {
  const run = halfWay(hosts)
  return run
    .end('etcd.install', 'etcd.start', 'Start etcd', 'node1', 'failed')
    .end('etcd.install', 'etcd.start', 'Start etcd', 'node2')
    .wait(1)
}

const cancelled = (hosts: number): SampleRun => halfWay(hosts).tell({ type: 'pipeline.cancelling', reason: 'Ctrl-C' }).wait(1)

describe('renderFrame', () => {
  it.each([
    ['3-hosts-60', halfWay(3), 60, 24],
    ['3-hosts-100', halfWay(3), 100, 30],
    ['3-hosts-160', halfWay(3), 160, 40],
    ['3-hosts-60-short', halfWay(3), 60, 12],
    ['300-hosts-60', halfWay(300), 60, 24],
    ['300-hosts-160', halfWay(300), 160, 40],
    ['300-hosts-failed-100', failing(300), 100, 30],
    ['3-hosts-cancelling-80', cancelled(3), 80, 24],
  ])('%s', async (name, run, columns, rows) => {
    const lines = renderFrame(viewOf(run.events), columns, rows, run.now)
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`golden/${name}.txt`)
  })

  it('says that it stops after a failure, or that it goes on without the host', () => {
    const frame = (run: SampleRun): string => renderFrame(viewOf(run.events), 100, 30, run.now).join('\n')
    const [error] = failing(3).errors
    if (error === undefined) throw new Error('nothing failed')
    const without = failing(3).tell({ type: 'host.lost', host: 'node1', error })
    expect(frame(failing(3))).toContain('⚠ Stopping after a failure')
    expect(frame(without)).toContain('⚠ Going on without node1.')
    expect(frame(without.end('etcd.install', 'etcd.start', 'Start etcd', 'node3', 'failed'))).toContain('⚠ Stopping after a failure')
  })

  it('fits into every terminal, at every moment of a run, with and without colours', () => {
    const events = failing(20).finish('failed').events
    const size = { columns: fc.integer({ min: 40, max: 200 }), rows: fc.integer({ min: 4, max: 60 }) }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: events.length }), size.columns, size.rows, (upTo, columns, rows) => {
        const view = viewOf(events.slice(0, upTo))
        const now = view.startedAt + 3_725_000
        const lines = renderFrame(view, columns, rows, now)
        expect(lines.length).toBeLessThan(rows)
        for (const line of lines) expect(width(line)).toBeLessThan(columns)
        const coloured = renderFrame(view, columns, rows, now, { style: styleOf({ color: true }) })
        expect(coloured.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(lines.map((line) => line.trimEnd()))
      }),
      { numRuns: 200 },
    )
  })

  it('keeps the row of a host in its place from step to step', () => {
    const run = halfWay(3)
    const rowOf = (view: RunView): number =>
      renderFrame(view, 80, 30, run.now).findIndex((line) => line.includes('node3') && line.includes('etcd'))
    const before = rowOf(viewOf(run.events))
    run.end('etcd.install', 'etcd.start', 'Start etcd', 'node1').end('etcd.install', 'etcd.start', 'Start etcd', 'node2')
    expect(rowOf(viewOf(run.events))).toBe(before)
    expect(before).toBeGreaterThan(0)
  })

  it('shows the module of a task that the outline did not announce', () => {
    const run = new SampleRun(['node1']).begin('extra.task', ['extra.step', 'Do more', 'node1'])
    expect(renderFrame(viewOf(run.events), 80, 24, run.now).join('\n')).toMatch(/extra\.task .*1 running\n.*node1 .*Do more/)
  })

  it('draws a frame of 5 000 hosts fast enough for ten a second', () => {
    const run = halfWay(5000)
    const view = viewOf(run.events)
    const begun = performance.now()
    for (let i = 0; i < 10; i++) renderFrame(view, 120, 40, run.now + i)
    expect((performance.now() - begun) / 10).toBeLessThan(100)
  })
})
