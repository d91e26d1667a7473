import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fail, KubexmError } from '../error/index.ts'
import type { RunEvent } from './event.ts'
import { errorFromJson, errorToJson, eventFromJson, eventToJson } from './event-json.ts'

const where = { pipelineId: 'run-1', pipeline: 'create-cluster', module: 'etcd', task: 'etcd.install', step: 'etcd.start', host: 'node1' }
const throughText = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('eventToJson', () => {
  it('has stable fields', () => {
    const error = fail(
      'KX_COMMAND',
      { command: 'systemctl start etcd', code: 1 },
      { where, seen: 'failed', cause: Object.assign(new Error('x'), { code: 'EPIPE' }) },
    )
    const event: RunEvent = {
      ...where,
      at: new Date(0),
      type: 'step.finished',
      title: 'Start etcd',
      node: 'n',
      outcome: 'failed',
      ms: 12,
      error,
    }
    expect(throughText(eventToJson(event))).toEqual({
      type: 'step.finished',
      at: '1970-01-01T00:00:00.000Z',
      ...where,
      title: 'Start etcd',
      node: 'n',
      outcome: 'failed',
      ms: 12,
      error: {
        code: 'KX_COMMAND',
        problem: '"systemctl start etcd" ended with 1',
        fix: 'see what it printed; run it by hand on the host to learn more',
        where,
        seen: 'failed',
        params: { command: 'systemctl start etcd', code: 1 },
        retryable: false,
        cause: { name: 'Error', message: 'x', code: 'EPIPE' },
      },
    })
  })

  it('gives every event back as it was', () => {
    const text = fc.string()
    const error = fc.record({ a: text, seen: text, fix: fc.option(text, { nil: undefined }), deep: text }).map(({ a, seen, fix, deep }) =>
      fail(
        'KX_STEP_FAILED',
        { title: a, why: a },
        {
          where,
          seen,
          ...(fix === undefined ? {} : { fix }),
          cause: fail('KX_COMMAND', { command: deep, code: 3 }, { cause: new Error(deep) }),
        },
      ),
    )
    const base = fc
      .record({ at: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }), module: text, host: text })
      .map((given) => ({ ...where, ...given }))
    const event: fc.Arbitrary<RunEvent> = fc.oneof(
      fc.tuple(base, text, error).map(
        ([place, title, error]): RunEvent => ({
          ...place,
          type: 'step.finished',
          title,
          outcome: 'failed',
          ms: 3,
          changes: [{ does: title }],
          error,
        }),
      ),
      fc
        .tuple(base, fc.array(error))
        .map(([place, errors]): RunEvent => ({ ...place, type: 'pipeline.finished', outcome: 'failed', ms: 3, errors })),
      fc.tuple(base, text).map(([place, line]): RunEvent => ({ ...place, type: 'step.line', stream: 'stdout', line })),
      fc.tuple(base, text).map(
        ([place, name]): RunEvent => ({
          ...place,
          type: 'pipeline.started',
          outline: { nodes: 1, hosts: [name], modules: [{ name, tasks: [{ name, steps: 1 }] }], criticalPath: [name] },
        }),
      ),
    )
    fc.assert(
      fc.property(event, (given) => {
        const back = eventFromJson(throughText(eventToJson(given)))
        expect(back).toEqual(given)
        expect(eventToJson(back)).toEqual(eventToJson(given))
      }),
    )
  })
})

describe('errorFromJson', () => {
  it('gives a real error with its texts in both languages, exit code and causes', () => {
    const error = fail('KX_COMMAND', { command: 'true', code: 1 }, { where, cause: fail('KX_BUG', { what: 'inner' }) })
    const back = errorFromJson(throughText(errorToJson(error)))
    expect(back).toBeInstanceOf(KubexmError)
    expect(back.text('zh')).toEqual(error.text('zh'))
    expect(back.exitCode).toBe(error.exitCode)
    expect(back.cause).toMatchObject({ code: 'KX_BUG', params: { what: 'inner' } })
  })

  it('keeps the words of an error of another version', () => {
    const back = errorFromJson({
      code: 'KX_FROM_THE_FUTURE',
      problem: 'the flux is off',
      fix: 'turn it on',
      where: { host: 'node1' },
      seen: null,
      params: {},
    })
    expect(back.message).toContain('KX_FROM_THE_FUTURE')
    expect(back.message).toContain('the flux is off')
    expect(back.fix).toBe('turn it on')
    expect(back.where.host).toBe('node1')
  })

  it('comes to an end when causes go round in a circle', () => {
    const [a, b] = [new Error('a'), new Error('b')]
    a.cause = b
    b.cause = a
    expect(JSON.stringify(errorToJson(fail('KX_BUG', { what: 'x' }, { cause: a }))).length).toBeLessThan(1000)
  })
})
