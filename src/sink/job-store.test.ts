import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import type { RunEvent } from '../event/index.ts'
import { jobStoreSink, type NumberedEvent } from './job-store.ts'

const note = (n: number): RunEvent => ({ type: 'note', level: 'info', message: `${n}`, at: new Date(n), pipelineId: 'r', pipeline: 'p' })
const started = (title: string, host?: string): RunEvent => ({
  type: 'step.started',
  title,
  at: new Date(0),
  pipelineId: 'r',
  pipeline: 'p',
  step: 's',
  ...(host === undefined ? {} : { host }),
})
const progress = (done: number, host: string): RunEvent => ({
  type: 'step.progress',
  done,
  total: 9,
  unit: 'bytes',
  at: new Date(0),
  pipelineId: 'r',
  pipeline: 'p',
  step: 's',
  host,
})

/** A database that can be made to fail. */
function database() {
  const written: NumberedEvent[] = []
  const batches: { readonly size: number; readonly step: string | null }[] = []
  const failures: Error[] = []
  const lost: unknown[] = []
  const clock = new VirtualClock()
  const sink = jobStoreSink({
    append: async (events, step) => {
      const failure = failures.shift()
      if (failure !== undefined) throw failure
      written.push(...events)
      batches.push({ size: events.length, step })
    },
    nextSeq: 5,
    most: 10,
    isFinal: (error) => (error as Error).message === 'lost',
    onLost: (error) => lost.push(error),
    clock,
  })
  return { sink, written, batches, failures, lost, clock }
}

describe('the job-store sink', () => {
  it('numbers events from where the job stands, and writes many at once', async () => {
    const { sink, written, batches, clock } = database()
    for (let i = 0; i < 25; i++) sink.accept(note(i))
    await clock.run(sink.flush?.() ?? Promise.resolve())
    expect(written.map(({ seq }) => seq)).toEqual(Array.from({ length: 25 }, (_, i) => i + 5))
    expect(batches.map(({ size }) => size)).toEqual([10, 10, 5])
    expect(JSON.parse(written[3]?.json ?? '')).toMatchObject({ type: 'note', message: '3' })
  })

  it('writes within 50 ms without being told to', async () => {
    const { sink, written, clock } = database()
    sink.accept(note(1))
    expect(written).toEqual([])
    await clock.run(clock.sleep(50))
    expect(written).toHaveLength(1)
  })

  it('says what is done now', async () => {
    const { sink, batches, clock } = database()
    sink.accept(started('Plan'))
    await clock.run(sink.flush?.() ?? Promise.resolve())
    sink.accept(started('Install etcd', 'node1'))
    await clock.run(sink.flush?.() ?? Promise.resolve())
    expect(batches.map(({ step }) => step)).toEqual(['Plan', 'Install etcd on node1'])
  })

  it('keeps of the progress of a step only the newest', async () => {
    const { sink, written, clock } = database()
    for (const event of [progress(1, 'a'), progress(2, 'a'), progress(3, 'a'), progress(1, 'b'), progress(4, 'a')]) sink.accept(event)
    await clock.run(sink.flush?.() ?? Promise.resolve())
    expect(written.map(({ json }) => JSON.parse(json)).map(({ host, done }) => `${host}${done}`)).toEqual(['a3', 'b1', 'a4'])
    expect(written.map(({ seq }) => seq)).toEqual([5, 6, 7])
  })

  it('tries again when the database is away, and loses nothing', async () => {
    const { sink, written, failures, clock } = database()
    failures.push(new Error('away'), new Error('away'))
    sink.accept(note(1))
    await clock.run(clock.sleep(60))
    sink.accept(note(2))
    expect(written).toEqual([])
    await clock.run(sink.flush?.() ?? Promise.resolve())
    expect(written.map(({ seq }) => seq)).toEqual([5, 6])
  })

  it('tells once that the job is lost, and writes no more', async () => {
    const { sink, written, failures, lost, clock } = database()
    failures.push(new Error('lost'))
    sink.accept(note(1))
    await clock.run(sink.flush?.() ?? Promise.resolve())
    sink.accept(note(2))
    await clock.run(sink.flush?.() ?? Promise.resolve())
    expect(lost).toHaveLength(1)
    expect(written).toEqual([])
  })
})
