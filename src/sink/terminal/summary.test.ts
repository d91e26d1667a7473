import { describe, expect, it } from 'vitest'
import { SampleRun } from '../../../test/support/sample-run.ts'
import type { RunEvent } from '../../event/index.ts'
import { plainStyle } from '../style.ts'
import { observe, startView } from './state.ts'
import { summaryLines } from './summary.ts'

const summary = ({ events, errors }: SampleRun, columns = 100): string => {
  const [first, ...rest] = events
  const view = startView(first as Extract<RunEvent, { type: 'pipeline.started' }>)
  for (const event of rest) observe(view, event)
  return summaryLines(view, errors, { style: plainStyle, columns }).join('\n')
}

const result = (label: string, text: string, host?: string) => ({
  type: 'result' as const,
  label,
  text,
  ...(host === undefined ? {} : { host }),
})

describe('the summary of a run', () => {
  it('begins with what people want to know', () => {
    const run = new SampleRun(['node1'])
      .tell(result('endpoint', 'https://192.0.2.1:6443'))
      .tell(result('access', 'export KUBECONFIG=/home/a b/.kubexm/c/kubeconfig'))
      .finish('success')
    expect(summary(run).split('\n').slice(3, 5)).toEqual([
      '  endpoint   https://192.0.2.1:6443',
      '  access     export KUBECONFIG=/home/a b/.kubexm/c/kubeconfig',
    ])
  })

  it('says once what holds for several hosts, and keeps escape sequences off the screen', () => {
    const run = new SampleRun(['node1', 'node2', 'node3'])
    for (const host of ['node1', 'node2']) run.tell(result('clean', 'nothing is left\u001b[2J', host))
    run.tell(result('clean', 'nothing of kubexm was there', 'node3')).finish('success')
    expect(summary(run)).toContain('  clean      node1, node2: nothing is left\n             node3: nothing of kubexm was there\n')
    expect(summary(run)).not.toContain('\u001b')
  })

  it('names the slowest steps of the chain that decided how long it took', () => {
    const run = new SampleRun(['node1']).wait(20)
    const criticalPath = [
      { title: 'Quick', host: 'node1', ms: 400 },
      { title: 'Start etcd', host: 'node1', ms: 4000 },
      { title: 'Wait for the nodes', host: 'node2', ms: 9500 },
    ]
    run.tell({ type: 'pipeline.finished', outcome: 'success', ms: 20_000, errors: [], criticalPath })
    const lines = summary(run).split('\n')
    expect(lines.slice(lines.findIndex((line) => line.includes('critical')))).toEqual([
      '  critical   3 steps in a row took 13.9 s, most of it:',
      '             Wait for the nodes  node2      9.5 s',
      '             Start etcd          node1      4.0 s',
    ])
  })

  it('says nothing of a chain that took no time', () => {
    const run = new SampleRun(['node1'])
    run.tell({ type: 'pipeline.finished', outcome: 'success', ms: 3, errors: [], criticalPath: [{ title: 'Quick', host: 'node1', ms: 3 }] })
    expect(summary(run)).not.toMatch(/critical|slowest/)
  })
})
