import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { recordEvents } from '../../test/support/record-events.ts'
import { halfWay } from '../../test/support/sample-run.ts'
import { EventBus, eventToJson, type RunEvent } from '../event/index.ts'
import { eventRecordSink, fileOutput, jsonLogSink, jsonOutputSink, readEvents, replay } from './index.ts'

const run = halfWay(3)
  .end('etcd.install', 'etcd.start', 'Start etcd', 'node1', 'failed')
  .tell({ type: 'pipeline.cancelling', reason: 'Ctrl-C' })
  .finish('failed')
const workDir = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'kubexm-sink-'))

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

function linesOf(sinkFor: typeof jsonLogSink, events: readonly RunEvent[] = run.events): readonly Record<string, unknown>[] {
  const text: string[] = []
  const sink = sinkFor({ write: (part) => text.push(part) })
  for (const event of events) sink.accept(event)
  return text
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('jsonLogSink', () => {
  const keys = ['timestamp', 'level', 'pipeline_id', 'module', 'task', 'step', 'node', 'message', 'duration_ms']

  it('writes exactly its nine keys on every line', () => {
    const lines = linesOf(jsonLogSink)
    expect(lines.length).toBeGreaterThan(20)
    for (const line of lines) expect(Object.keys(line)).toEqual(keys)
  })

  it('says what happened, where, how bad it is and how long it took', () => {
    const lines = linesOf(jsonLogSink)
    expect(lines[0]).toEqual({
      timestamp: '2026-01-02T03:04:05.000Z',
      level: 'info',
      pipeline_id: 'run-7f3a',
      module: null,
      task: null,
      step: null,
      node: null,
      message: 'create-cluster started: 24 steps on 4 hosts',
      duration_ms: null,
    })
    const failure = lines.find((line) => line.level === 'error' && line.node === 'node1')
    expect(failure).toMatchObject({ module: 'etcd', task: 'etcd.install', step: 'etcd.start', duration_ms: 5000 })
    expect(failure?.message).toMatch(/^Start etcd: failed; KX_STEP_FAILED Start etcd failed: .*Fix: mend the cause/s)
    expect(lines.filter((line) => line.level === 'warn').map((line) => line.message)).toContain(
      'KX_SWAP_ON swap is on. Fix: nothing to do: kubexm turns it off',
    )
    expect(lines.find((line) => line.level === 'debug')).toMatchObject({ message: 'etcd-v3.5.21-linux-amd64/etcdctl' })
  })

  it('leaves out what is below its level', () => {
    const levels = new Set(linesOf((output) => jsonLogSink(output, { level: 'warn' })).map((line) => line.level))
    expect([...levels].sort()).toEqual(['error', 'warn'])
  })
})

describe('jsonOutputSink', () => {
  it('writes one object per event, with code, problem, fix, where and what was seen of errors', () => {
    const lines = linesOf(jsonOutputSink)
    expect(lines).toHaveLength(run.events.length)
    expect(lines.find((line) => line.outcome === 'failed')?.error).toMatchObject({
      code: 'KX_STEP_FAILED',
      problem: 'Start etcd failed: "systemctl start etcd.start" ended with 1',
      fix: expect.stringContaining('--resume'),
      where: { host: 'node1', step: 'etcd.start' },
      seen: expect.stringContaining('journalctl'),
    })
  })

  it('does not disturb the run when the reader of a pipe has gone', async () => {
    const pipe = new PassThrough()
    const recorder = recordEvents()
    const bus = new EventBus([jsonOutputSink(pipe), recorder])
    for (const event of run.events.slice(0, 2)) bus.emit(event)
    pipe.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    await new Promise(setImmediate)
    for (const event of run.events.slice(2)) bus.emit(event)
    await bus.flush()
    expect(recorder.events).toHaveLength(run.events.length)
  })
})

describe('eventRecordSink and replay', () => {
  it('tells a sink later exactly what was told before', async () => {
    const file = path.join(await workDir(), 'events.jsonl')
    const sink = eventRecordSink(file)
    for (const event of run.events) sink.accept(event)
    await sink.flush?.()
    const recorder = recordEvents()
    await replay(file, recorder)
    expect(recorder.events).toEqual(run.events)
    expect(recorder.events.map(eventToJson)).toEqual(run.events.map(eventToJson))
  })

  it('appends, survives a torn last line, and refuses one that is broken in the middle', async () => {
    const file = path.join(await workDir(), 'events.jsonl')
    for (const event of run.events.slice(0, 2)) {
      const sink = eventRecordSink(file)
      sink.accept(event)
      await sink.flush?.()
    }
    const text = await readFile(file, 'utf8')
    await writeFile(file, `${text}{"type":"note","le`)
    expect(await all(readEvents(file))).toHaveLength(2)
    await writeFile(file, `${text}{"type":"note","le\n${text}`)
    await expect(all(readEvents(file))).rejects.toMatchObject({ code: 'KX_RECORD_CORRUPT', params: { line: 3 } })
  })

  it('reports a file that cannot be written when it is flushed, naming it', async () => {
    const file = path.join(await workDir(), 'missing', 'events.jsonl')
    const recorder = recordEvents()
    const bus = new EventBus([eventRecordSink(file), jsonLogSink(fileOutput(file)), recorder])
    for (const event of run.events) bus.emit(event)
    await bus.flush()
    const notes = recorder.of('note').map((note) => note.message)
    expect(notes).toHaveLength(2)
    for (const note of notes) expect(note).toContain(`cannot write ${file}`)
  })
})
