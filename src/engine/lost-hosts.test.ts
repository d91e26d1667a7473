import { describe, expect, it } from 'vitest'
import { graphOf, inertWorld, inTemporaryDirectory, nodeOf, runGraph } from '../../test/support/engine-run.ts'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import { fail } from '../error/index.ts'
import { type Node, seal } from '../plan/index.ts'
import type { Runner } from '../runner/index.ts'
import { slot } from '../runtime/index.ts'
import { type AnyStep, defineCheck, defineStep } from '../step/index.ts'
import { seconds } from '../util/time.ts'

const broken = (): never => {
  throw fail('KX_COMMAND', { command: 'false', code: 1 })
}

/** A step that fails on some hosts. */
const step = (name: string, failsOn: readonly string[] = [], error: () => never = broken) =>
  defineStep({
    name,
    title: `Do ${name}`,
    timeout: seconds(10),
    run: async (ctx) => {
      if (failsOn.includes(ctx.host.name)) error()
    },
    rollback: { irreversible: 'a test' },
  })

/** A node of a step on a host, named as plans name them. */
const at = (host: string, of: AnyStep, ...needs: readonly string[]) => nodeOf(of, { id: `${of.name}@${host}`, host, needs })
const milestone = (id: string, ...needs: readonly string[]): Node => ({ kind: 'milestone', id, needs, module: 'm', task: 't', ends: true })
const graphWith = (...nodes: readonly Node[]) =>
  seal('test', {
    nodes: new Map(nodes.map((node) => [node.id, node])),
    entry: nodes.filter(({ needs }) => needs.length === 0).map(({ id }) => id),
    exit: [],
  })
const upTo = (most: number) => ({ mayLose: (hosts: ReadonlySet<string>) => hosts.size <= most })

const a = step('a', ['h2'])
const b = step('b')
const c = step('c')

/** Two tasks on three hosts, the second after the first; the first fails on h2. */
const threeHosts = (first = a) =>
  graphWith(
    ...['h1', 'h2', 'h3'].map((host) => at(host, first)),
    milestone('end', 'a@h1', 'a@h2', 'a@h3'),
    ...['h1', 'h2', 'h3'].flatMap((host) => [at(host, b, 'end'), at(host, c, `b@${host}`)]),
  )

describe('a host that fails', () => {
  it('ends the run where no host may', () =>
    inTemporaryDirectory(async (directory) => {
      const { report } = await runGraph(threeHosts(), directory)
      expect(report.outcome).toBe('failed')
      expect(['b@h1', 'c@h3'].map((id) => report.states.get(id))).toEqual(['blocked', 'blocked'])
    }))

  it('does not keep the others from going on where one may, and is named', () =>
    inTemporaryDirectory(async (directory) => {
      const { report, events } = await runGraph(threeHosts(), directory, upTo(1))
      expect(report.outcome).toBe('failed')
      expect(report.errors.map(({ code, where }) => [code, where.host])).toEqual([['KX_STEP_FAILED', 'h2']])
      expect(Object.fromEntries(report.states)).toMatchObject({
        ...{ 'a@h1': 'succeeded', 'a@h2': 'failed', 'a@h3': 'succeeded', end: 'satisfied' },
        ...{ 'b@h1': 'succeeded', 'b@h2': 'blocked', 'b@h3': 'succeeded' },
        ...{ 'c@h1': 'succeeded', 'c@h2': 'blocked', 'c@h3': 'succeeded' },
      })
      expect(events.filter(({ type }) => type === 'host.lost')).toMatchObject([{ host: 'h2', error: { code: 'KX_STEP_FAILED' } }])
      expect(events.find(({ type }) => type === 'task.finished')).toMatchObject({ outcome: 'failed' })
    }))

  it('ends the run when it is one too many', () =>
    inTemporaryDirectory(async (directory) => {
      const twice = step('a', ['h2', 'h3'])
      const graph = graphWith(at('h1', b), at('h2', twice), at('h3', twice, 'b@h1'), at('h1', c, 'b@h1', 'a@h3'))
      const { report } = await runGraph(graph, directory, upTo(1))
      expect(report.errors.map(({ where }) => where.host)).toEqual(['h2', 'h3'])
      expect(report.states.get('c@h1')).toBe('blocked')
    }))

  it('is gone on without when it cannot be reached to begin with', () =>
    inTemporaryDirectory(async (directory) => {
      const lost = new Map([['h2', fail('KX_CONNECT_REFUSED', { address: '192.0.2.2', port: 22 }, { where: { host: 'h2' } })]])
      const { report } = await runGraph(threeHosts(), directory, { ...upTo(1), lost })
      expect(report.errors.map(({ code }) => code)).toEqual(['KX_CONNECT_REFUSED'])
      expect(['a@h2', 'c@h2', 'c@h1', 'c@h3'].map((id) => report.states.get(id))).toEqual(['blocked', 'blocked', 'succeeded', 'succeeded'])
    }))

  it('is finished by a resumed run when it is well again, the others change nothing', () =>
    inTemporaryDirectory(async (directory) => {
      await runGraph(threeHosts(), directory, upTo(1))
      const { report } = await runGraph(threeHosts(step('a')), directory, { resume: true })
      expect(report.outcome).toBe('success')
      expect([report.states.get('c@h2'), report.states.get('c@h1')]).toEqual(['succeeded', 'resumed'])
    }))
})

describe('what needs a host that failed', () => {
  it.each([
    { what: 'the only host of a step', nodes: [at('h2', a), at('h1', b, 'a@h2')], left: ['b@h1'] },
    { what: 'the host before it in a row', nodes: [at('h1', c), at('h2', a, 'c@h1'), at('h3', b, 'a@h2')], left: ['b@h3'] },
    { what: 'a stretch that came to nothing', nodes: [at('h2', a), milestone('end', 'a@h2'), at('h1', b, 'end')], left: ['end', 'b@h1'] },
    {
      what: 'two steps of which one was done nowhere',
      nodes: [at('h2', a), at('h1', c), milestone('end', 'a@h2', 'c@h1'), at('h1', b, 'end')],
      left: ['end', 'b@h1'],
    },
    { what: 'all hosts of a step', nodes: [at('h1', a), at('h2', a), at('h3', b, 'a@h1', 'a@h2')], left: [] },
  ])('$what is left out: $left', ({ nodes, left }) =>
    inTemporaryDirectory(async (directory) => {
      const { report } = await runGraph(graphWith(...nodes), directory, upTo(1))
      expect([...report.states].flatMap(([id, state]) => (state === 'blocked' ? [id] : []))).toEqual(left)
    }),
  )

  it('to write a value is left out, and so is what follows on its host', () =>
    inTemporaryDirectory(async (directory) => {
      const Token = slot<string>('test.token')
      const mint = defineStep({
        name: 'mint',
        title: 'Mint',
        timeout: 1000,
        writes: [Token],
        run: async (ctx) => {
          if (ctx.host.name === 'h2') broken()
        },
        rollback: { irreversible: 'x' },
      })
      const spend = defineStep({
        name: 'spend',
        title: 'Spend',
        timeout: 1000,
        reads: [Token],
        run: async () => {},
        rollback: { irreversible: 'x' },
      })
      const graph = graphWith(at('h1', mint), at('h2', mint), at('h3', spend, 'mint@h1', 'mint@h2'), at('h3', c, 'spend@h3'))
      const { report } = await runGraph(graph, directory, upTo(1))
      expect([report.states.get('spend@h3'), report.states.get('c@h3')]).toEqual(['blocked', 'blocked'])
      expect(report.errors).toHaveLength(1)
    }))
})

it('is told apart from a step that is merely slow: a host that answers nothing', () =>
  inTemporaryDirectory(async (directory) => {
    const clock = new VirtualClock()
    const slow = defineStep({
      ...{ name: 'slow', title: 'Do it slowly', timeout: seconds(5), rollback: { irreversible: 'a test' } },
      run: (ctx) => clock.sleep(seconds(600), ctx.signal),
    })
    const world = inertWorld(['h1', 'h2'], directory)
    const answering = (host: string): Runner => ({
      ...world.runner(host),
      bind: ({ signal }) => ({
        ...answering(host),
        run: async () => {
          if (host === 'h2') await clock.sleep(seconds(600), signal)
          return { code: 0, stdout: '', stderr: '' }
        },
      }),
    })
    const graph = graphOf(at('h1', slow), at('h2', slow))
    const { report } = await runGraph(graph, directory, { ...upTo(1), clock, world: { ...world, runner: answering } })
    expect(report.errors.map(({ code, where }) => [where.host, code]).sort()).toEqual([
      ['h1', 'KX_STEP_TIMEOUT'],
      ['h2', 'KX_HOST_SILENT'],
    ])
  }))

describe('a failure that is not of one host', () => {
  it('on this machine ends the run', () =>
    inTemporaryDirectory(async (directory) => {
      const { report } = await runGraph(graphOf(at('local', step('fetch', ['local'])), at('h1', b, 'fetch@local')), directory, upTo(9))
      expect(report.states.get('b@h1')).toBe('blocked')
      expect(report.errors).toHaveLength(1)
    }))

  it.each([
    ['of kubexm itself', () => fail('KX_BUG', { what: 'x' })],
    ['because another run took over', () => fail('KX_FENCED', { newer: 2, own: 1 })],
    ['to write the journal', () => fail('KX_JOURNAL_WRITE', { file: 'f', why: 'full' })],
  ])('%s ends the run', (_what, error) =>
    inTemporaryDirectory(async (directory) => {
      const failing = step('a', ['h2'], () => {
        throw error()
      })
      const graph = graphWith(at('h2', failing), at('h1', c), at('h1', b, 'c@h1', 'a@h2'))
      expect((await runGraph(graph, directory, upTo(9))).report.states.get('b@h1')).toBe('blocked')
    }),
  )
})

describe('a host that is not fit', () => {
  const check = defineCheck({
    name: 'check',
    title: 'Look',
    timeout: 1000,
    check: async ({ host }) => (host.name === 'h2' ? { severity: 'error', code: 'KX_X', problem: 'it is bad', fix: 'mend it' } : null),
  })
  const graph = () =>
    graphWith(at('h1', check), at('h2', check), milestone('end', 'check@h1', 'check@h2'), at('h1', b, 'end'), at('h2', b, 'end'))

  it.each([
    { most: 0, states: ['blocked', 'blocked'], host: undefined },
    { most: 1, states: ['succeeded', 'blocked'], host: 'h2' },
  ])('may be left out where $most may fail', ({ most, states, host }) =>
    inTemporaryDirectory(async (directory) => {
      const { report } = await runGraph(graph(), directory, upTo(most))
      expect(['b@h1', 'b@h2'].map((id) => report.states.get(id))).toEqual(states)
      expect(report.errors.map(({ code, where }) => [code, where.host])).toEqual([['KX_PREFLIGHT', host]])
    }),
  )
})
