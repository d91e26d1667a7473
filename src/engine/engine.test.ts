import { describe, expect, it } from 'vitest'
import { graphOf, inTemporaryDirectory, nodeOf, runGraph } from '../../test/support/engine-run.ts'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import { fail } from '../error/index.ts'
import { seal } from '../plan/index.ts'
import { slot } from '../runtime/index.ts'
import { defineCheck, defineStep, needed, type Step, satisfied, waitStep } from '../step/index.ts'
import { seconds } from '../util/time.ts'

/** A step that records what happens to it, with the odd behaviour. */
function recording(name: string, log: string[], odd: Partial<Step> & { ms?: number; clock?: VirtualClock } = {}): Step {
  return defineStep({
    name,
    title: `Do ${name}`,
    timeout: odd.timeout ?? seconds(60),
    ...(odd.retry === undefined ? {} : { retry: odd.retry }),
    ...(odd.precheck === undefined ? {} : { precheck: odd.precheck }),
    run: async (ctx, input) => {
      log.push(`run ${name}`)
      await ctx.change({ kind: 'custom', id: name, does: `do ${name}`, before: null, owned: false }, async () => {})
      if (odd.clock !== undefined) await odd.clock.sleep(odd.ms ?? 0, ctx.signal)
      await odd.run?.(ctx, input)
    },
    verify: odd.verify ?? (async () => {}),
    rollback: odd.rollback ?? (async () => void log.push(`undo ${name}`)),
  })
}

const broken = async (): Promise<never> => {
  throw fail('KX_COMMAND', { command: 'false', code: 1 }, { seen: 'it broke' })
}

describe('execute', () => {
  it('does not run a step whose precheck is satisfied', () =>
    inTemporaryDirectory(async (directory) => {
      const log: string[] = []
      const { report } = await runGraph(graphOf(nodeOf(recording('a', log, { precheck: async () => satisfied }), { id: 'a' })), directory)
      expect(log).toEqual([])
      expect(report.outcome).toBe('success')
      expect(report.states.get('a')).toBe('satisfied')
    }))

  it('names the cause once and leaves what depends on it blocked', () =>
    inTemporaryDirectory(async (directory) => {
      const log: string[] = []
      const graph = graphOf(
        nodeOf(recording('a', log, { run: broken }), { id: 'a' }),
        nodeOf(recording('b', log), { id: 'b', needs: ['a'] }),
        nodeOf(recording('c', log), { id: 'c', needs: ['b'] }),
      )
      const { report, events } = await runGraph(graph, directory)
      expect(report.outcome).toBe('failed')
      expect(report.errors.map((error) => error.code)).toEqual(['KX_STEP_FAILED'])
      expect(report.errors[0]?.where).toMatchObject({ step: 'a', host: 'h1', task: 't' })
      expect(report.errors[0]?.seen).toBe('it broke')
      expect([report.states.get('b'), report.states.get('c')]).toEqual(['blocked', 'blocked'])
      expect(log).toEqual(['run a'])
      expect(events.filter((event) => event.type === 'step.finished')).toHaveLength(1)
    }))

  it('fails a step whose verification does not hold', () =>
    inTemporaryDirectory(async (directory) => {
      const step = defineStep({
        name: 'liar',
        title: 'Lie',
        timeout: 1000,
        precheck: async () => needed('tell the truth'),
        run: async () => {},
        rollback: { irreversible: 'a test' },
      })
      const { report } = await runGraph(graphOf(nodeOf(step, { id: 'liar' })), directory)
      expect(report.errors[0]?.code).toBe('KX_VERIFY_FAILED')
      expect(report.errors[0]?.message).toContain('tell the truth')
    }))

  it('ends a step at its deadline, and gives its undoing a time of its own', () =>
    inTemporaryDirectory(async (directory) => {
      const log: string[] = []
      const clock = new VirtualClock()
      const slow = recording('slow', log, { timeout: seconds(5), clock, ms: seconds(100) })
      const { report } = await runGraph(graphOf(nodeOf(slow, { id: 'slow' })), directory, { clock, rollbackOnFailure: true })
      expect(report.errors[0]?.code).toBe('KX_STEP_TIMEOUT')
      expect(log).toEqual(['run slow', 'undo slow'])
      expect(report.states.get('slow')).toBe('rolled-back')
      expect(report.ms).toBeLessThan(seconds(20))
    }))

  it.each([
    { what: 'a retryable error', retryable: true, runs: 3 },
    { what: 'another error', retryable: false, runs: 1 },
  ])('retries $what $runs times at most', ({ retryable, runs }) =>
    inTemporaryDirectory(async (directory) => {
      const log: string[] = []
      const step = recording('flaky', log, {
        retry: { times: 2, every: seconds(1) },
        run: async () => {
          const error = fail('KX_BUG', { what: 'x' })
          Object.defineProperty(error, 'retryable', { value: retryable })
          Object.defineProperty(error, 'at', { value: () => error })
          throw error
        },
      })
      await runGraph(graphOf(nodeOf(step, { id: 'flaky' })), directory)
      expect(log).toHaveLength(runs)
    }),
  )

  it('runs all checks and then stops with every finding, except the accepted ones', () =>
    inTemporaryDirectory(async (directory) => {
      const check = (code: string) =>
        defineCheck({
          name: `check.${code}`,
          title: 'Look',
          timeout: 1000,
          check: async () => ({ severity: 'error', code, problem: `${code} is wrong`, fix: 'mend it' }),
        })
      const log: string[] = []
      const end = { kind: 'milestone', id: 'end', needs: ['c1', 'c2', 'c3'], module: 'm', task: 't', ends: true } as const
      const nodes = [
        nodeOf(check('A'), { id: 'c1' }),
        nodeOf(check('B'), { id: 'c2', needs: ['c1'] }),
        nodeOf(check('C'), { id: 'c3' }),
        end,
        nodeOf(recording('later', log), { id: 'later', needs: ['end'] }),
      ]
      const graph = seal('test', { nodes: new Map(nodes.map((node) => [node.id, node])), entry: ['c1', 'c3'], exit: ['later'] })
      const { report } = await runGraph(graph, directory, { run: { id: 'r', fence: 1, purgeData: false, skipChecks: ['C'] } })
      expect(report.findings.map((finding) => finding.code)).toEqual(['A', 'B'])
      expect(report.errors.map((error) => error.code)).toEqual(['KX_PREFLIGHT'])
      expect(log).toEqual([])
    }))

  it('hands a value from the step that makes it to the one that needs it, also when resumed', () =>
    inTemporaryDirectory(async (directory) => {
      const Token = slot<string>('test.token', { secret: true })
      const got: string[] = []
      let tries = 0
      const mint = defineStep({
        name: 'mint',
        title: 'Mint',
        timeout: 1000,
        writes: [Token],
        run: async (ctx) => ctx.put(Token, 'abc'),
        rollback: { irreversible: 'x' },
      })
      const spend = defineStep({
        name: 'spend',
        title: 'Spend',
        timeout: 1000,
        reads: [Token],
        run: async (ctx) => {
          if (tries++ === 0) await broken()
          got.push(ctx.get(Token))
        },
        rollback: { irreversible: 'x' },
      })
      const graph = graphOf(nodeOf(mint, { id: 'mint' }), nodeOf(spend, { id: 'spend', needs: ['mint'] }))
      const first = await runGraph(graph, directory)
      expect(first.report.outcome).toBe('failed')
      const second = await runGraph(graph, directory, { resume: true })
      expect(second.report.states.get('mint')).toBe('resumed')
      expect(got).toEqual(['abc'])
    }))

  it('refuses a plan that reads what nobody writes', () => {
    const Token = slot<string>('test.token')
    const spend = defineStep({
      name: 'spend',
      title: 'Spend',
      timeout: 1000,
      reads: [Token],
      run: async () => {},
      rollback: { irreversible: 'x' },
    })
    expect(() => graphOf(nodeOf(spend, { id: 'spend' }))).toThrow(/reads test.token, which no step before it writes/)
  })

  it('cancels once: ends what runs, starts nothing new, keeps what is done', () =>
    inTemporaryDirectory(async (directory) => {
      const log: string[] = []
      const clock = new VirtualClock()
      const cancel = new AbortController()
      const graph = graphOf(
        nodeOf(recording('a', log), { id: 'a' }),
        nodeOf(recording('b', log, { clock, ms: seconds(50), run: async () => void log.push('b ended by itself') }), {
          id: 'b',
          needs: ['a'],
        }),
        nodeOf(recording('c', log), { id: 'c', needs: ['b'] }),
      )
      clock.after(seconds(10), () => cancel.abort())
      const { report } = await runGraph(graph, directory, { clock, cancel: cancel.signal })
      expect(report.outcome).toBe('cancelled')
      expect(log).toEqual(['run a', 'run b'])
      expect([...report.states]).toEqual([
        ['a', 'succeeded'],
        ['b', 'cancelled'],
        ['c', 'blocked'],
      ])
    }))

  it('waits only as long as it must, and says what was missing when it gives up', () =>
    inTemporaryDirectory(async (directory) => {
      const wait = waitStep({ name: 'wait', title: 'Wait for it', timeout: 200, every: 50, until: async () => 'the thing' })
      const { report } = await runGraph(graphOf(nodeOf(wait, { id: 'wait' })), directory)
      expect(report.errors[0]?.code).toBe('KX_STEP_TIMEOUT')
      expect(report.errors[0]?.seen).toBe('the thing')
    }))

  it('lets changes come to their end after a failure, and waits for nothing that may never come', () =>
    inTemporaryDirectory(async (directory) => {
      const log: string[] = []
      const clock = new VirtualClock()
      const wait = (id: string, within: number) =>
        waitStep({ name: id, title: `Wait for ${id}`, timeout: within, every: 100, until: async () => 'the thing' })
      const graph = graphOf(
        nodeOf(recording('broken', log, { clock, ms: seconds(1), run: broken }), { id: 'broken' }),
        nodeOf(recording('slow', log, { clock, ms: seconds(30) }), { id: 'slow' }),
        nodeOf(wait('in-vain', seconds(300)), { id: 'in-vain' }),
        nodeOf(wait('as-broken', seconds(3)), { id: 'as-broken' }),
      )
      const { report } = await runGraph(graph, directory, { clock, grace: seconds(120) })
      expect([...report.states].sort()).toEqual([
        ['as-broken', 'failed'],
        ['broken', 'failed'],
        ['in-vain', 'cancelled'],
        ['slow', 'succeeded'],
      ])
      expect(report.ms).toBe(seconds(30))
    }))
})
