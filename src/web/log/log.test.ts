import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../event/event.ts'
import type { EventJson } from '../api/types.ts'
import { sayIn } from '../i18n/text.ts'
import type { LogEntry } from '../run/run.ts'
import { FilteredLog, type LogFilter } from './filter.ts'
import { levelOf, lineOf } from './log-text.ts'

const at = '2026-01-02T03:04:05.000Z'
const say = sayIn('en')
const words = (event: EventJson): string => lineOf(event, say, (error) => error)
const error = { code: 'KX_COMMAND', problem: 'it ended with 1', fix: 'see' }

/** Every kind of event there is: a new one does not compile until it is here. Those that say nothing in a log are false. */
const kinds: Readonly<Record<RunEvent['type'], boolean>> = {
  'pipeline.started': true,
  'pipeline.cancelling': true,
  'pipeline.finished': true,
  'task.started': false,
  'task.finished': true,
  'step.started': true,
  'step.finished': true,
  'step.retrying': true,
  'step.line': true,
  'step.progress': false,
  'host.lost': true,
  finding: true,
  note: true,
  result: true,
}

describe('a line of the log', () => {
  it('has words for every kind of event', () => {
    const wordless = Object.entries(kinds).filter(([type, told]) => told && words({ type, at }) === type)
    expect(wordless).toEqual([])
  })

  it.each<[EventJson, string, string]>([
    [{ type: 'step.line', at, line: 'Unpacking etcd' }, 'debug', 'Unpacking etcd'],
    [{ type: 'step.started', at, title: 'Start etcd' }, 'debug', 'Start etcd'],
    [{ type: 'note', at, level: 'warn', message: 'clock is off' }, 'warn', 'clock is off'],
    [
      { type: 'finding', at, finding: { severity: 'warning', code: 'KX_SWAP_ON', problem: 'swap is on', fix: '' } },
      'warn',
      'KX_SWAP_ON swap is on',
    ],
    [{ type: 'finding', at, finding: { severity: 'error', code: 'KX_CPU', problem: 'one CPU', fix: '' } }, 'error', 'KX_CPU one CPU'],
    [{ type: 'step.finished', at, title: 'Start etcd', outcome: 'satisfied' }, 'info', 'Start etcd: nothing to do'],
    [
      { type: 'step.finished', at, title: 'Start etcd', outcome: 'succeeded', changes: [{ does: 'write /a' }, { does: 'start b' }] },
      'info',
      'Start etcd: succeeded (write /a, start b)',
    ],
    [
      { type: 'step.finished', at, title: 'Start etcd', outcome: 'failed', error },
      'error',
      'Start etcd: failed: KX_COMMAND it ended with 1',
    ],
    [{ type: 'step.finished', at, title: 'Start etcd', outcome: 'rolled-back' }, 'warn', 'Start etcd: rolled back'],
    [{ type: 'step.retrying', at, title: 'Pull', attempt: 2, error }, 'warn', 'Pull: attempt 2 failed, trying again: it ended with 1'],
    [{ type: 'host.lost', at, error }, 'error', 'Given up for the rest of the run: it ended with 1'],
    [{ type: 'pipeline.started', at, outline: { nodes: 9, hosts: ['a', 'local'] } }, 'info', 'The run begins: 9 nodes on 1 hosts'],
    [{ type: 'result', at, label: 'endpoint', text: 'https://10.0.0.1:6443' }, 'info', 'Endpoint: https://10.0.0.1:6443'],
    [{ type: 'result', at, label: 'from the future', text: 'x' }, 'info', 'from the future: x'],
    [{ type: 'pipeline.finished', at, outcome: 'success' }, 'info', 'The run ended: success'],
    [{ type: 'pipeline.finished', at, outcome: 'failed' }, 'error', 'The run ended: failed'],
    [{ type: 'pipeline.cancelling', at, reason: 'asked' }, 'warn', 'Cancelling: asked'],
    [{ type: 'task.finished', at, title: 'etcd', outcome: 'succeeded' }, 'info', 'Task etcd: succeeded'],
    [{ type: 'something.new', at }, 'info', 'something.new'],
  ])('of %j is at level %s', (event, level, text) => {
    expect(levelOf(event)).toBe(level)
    expect(words(event)).toBe(text)
  })
})

describe('FilteredLog', () => {
  const entry = (seq: number, host: string, task: string, line: string, type = 'step.line'): LogEntry => ({
    seq,
    event: { type, at, host, task, line, message: line },
  })
  const log = [
    entry(1, 'a', 'etcd', 'start'),
    entry(2, 'b', 'etcd', 'Start'),
    entry(3, 'a', 'cni', 'stop'),
    entry(4, 'a', 'etcd', 'hello', 'note'),
  ]
  const all: LogFilter = { level: 'debug', host: '', task: '', text: '' }
  const passing = (filter: Partial<LogFilter>): readonly number[] =>
    new FilteredLog({ ...all, ...filter }, ({ event }) => words(event)).extend(log).map(({ seq }) => seq)

  it.each<[Partial<LogFilter>, readonly number[]]>([
    [{}, [1, 2, 3, 4]],
    [{ host: 'a' }, [1, 3, 4]],
    [{ task: 'etcd' }, [1, 2, 4]],
    [{ level: 'info' }, [4]],
    [{ level: 'error' }, []],
    [{ text: 'start' }, [1, 2]],
    [{ text: 'START b' }, [2]],
    [{ text: 'cni' }, [3]],
    [{ text: '  ' }, [1, 2, 3, 4]],
  ])('%j lets %j pass', (filter, expected) => expect(passing(filter)).toEqual(expected))

  it('takes in what comes, each line once, and lets go what the log lets go', () => {
    const filtered = new FilteredLog({ ...all, host: 'a' }, () => '')
    expect(filtered.extend(log.slice(0, 2))).toHaveLength(1)
    expect(filtered.extend(log)).toHaveLength(3)
    expect(filtered.extend(log)).toHaveLength(3)
    expect(filtered.extend(log.slice(2)).map(({ seq }) => seq)).toEqual([3, 4])
  })
})
