import { describe, expect, it } from 'vitest'
import { recordEvents } from '../../test/support/record-events.ts'
import { fail } from '../error/index.ts'
import { EventBus } from './bus.ts'
import type { RunEvent, Sink } from './event.ts'

const note = (message: string): RunEvent => ({
  type: 'note',
  level: 'info',
  at: new Date(0),
  pipelineId: 'run-1',
  pipeline: 'create-cluster',
  message,
})
const messages = (events: readonly RunEvent[]): readonly string[] =>
  events.map((event) => (event.type === 'note' ? event.message : event.type))

describe('EventBus', () => {
  it('tells every sink every event in order, without secrets', () => {
    const [a, b] = [recordEvents(), recordEvents()]
    const bus = new EventBus([a, b])
    bus.redactor.add('s3cret!')
    for (const text of ['one', 'the s3cret!', 'three']) bus.emit(note(text))
    expect(messages(a.events)).toEqual(['one', 'the ***', 'three'])
    expect(b.events).toEqual(a.events)
  })

  it.each<[string, Partial<Sink>]>([
    [
      'throws',
      {
        accept: () => {
          throw new Error('disk full: s3cret!')
        },
      },
    ],
    ['rejects', { accept: async () => Promise.reject(new Error('disk full: s3cret!')) }],
  ])('goes on when a sink %s, and tells the others once', async (_, broken) => {
    const recorder = recordEvents()
    const bus = new EventBus([{ name: 'the log', accept: () => undefined, ...broken }, recorder])
    bus.redactor.add('s3cret!')
    bus.emit(note('one'))
    bus.emit(note('two'))
    await bus.flush()
    const told = messages(recorder.events)
    expect(told.filter((message) => !message.startsWith('the log'))).toEqual(['one', 'two'])
    expect(told.filter((message) => message.startsWith('the log'))).toEqual([
      'the log failed, its record of this run is not complete: disk full: ***',
    ])
  })

  it('does not wait for ever for a sink that does not finish, and reports one that fails at the end', async () => {
    const recorder = recordEvents()
    const stuck: Sink = { name: 'stuck', accept: () => undefined, flush: () => new Promise(() => undefined) }
    const late: Sink = { name: 'late', accept: () => undefined, flush: () => Promise.reject(new Error('no space left')) }
    await new EventBus([stuck, late, recorder], { flushWithin: 20 }).flush()
    expect([...messages(recorder.events)].sort()).toEqual([
      'late failed, its record of this run is not complete: no space left',
      'stuck failed, its record of this run is not complete: it did not finish in time',
    ])
  })

  it('leaves out, and does not fail on, what cannot be looked through', () => {
    const recorder = recordEvents()
    const trap = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('trap')
      },
    })
    const error = fail('KX_BUG', { what: 'x' }, { cause: Object.assign(new Error('y'), { trap }) })
    new EventBus([recorder]).emit({ ...note(''), type: 'pipeline.finished', outcome: 'failed', ms: 1, errors: [error] })
    expect(messages(recorder.events)).toEqual(['a pipeline.finished event could not be freed of secrets and was left out'])
  })

  it('takes sinks on and off while it runs', () => {
    const recorder = recordEvents()
    const bus = new EventBus()
    bus.emit(note('before'))
    const detach = bus.attach(recorder)
    bus.emit(note('while'))
    detach()
    bus.emit(note('after'))
    expect(messages(recorder.events)).toEqual(['while'])
  })
})
