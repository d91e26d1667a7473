import { describe, expect, it } from 'vitest'
import type { Cluster } from '../config/index.ts'
import { defineModule } from '../module/index.ts'
import { definePipeline } from '../pipeline/index.ts'
import { type ExecutionFragment, seq, toText } from '../plan/index.ts'
import { type Host, planContext, workPaths } from '../runtime/index.ts'
import { writeFile } from '../step/generic/file.ts'
import { composeStep, defineStep } from '../step/index.ts'
import { defineTask, type Planner, use } from './index.ts'

const step = composeStep({ name: 'demo.write', title: 'Write', timeout: 1000, ops: () => [writeFile({ path: '/x', content: '' })] })
const sized = defineStep<{ n: number }>({
  name: 'demo.size',
  title: ({ n }) => `Make ${n}`,
  timeout: 1000,
  run: async () => {},
  rollback: { irreversible: 'x' },
})

const hosts = ['n1', 'n2', 'n3'].map((name, i) => ({ name, roles: i === 0 ? ['master'] : ['worker'] }) as unknown as Host)
const ctx = planContext({} as Cluster, hosts, workPaths('/tmp', 'c'))

const edgesOf = (plan: (t: Planner) => ExecutionFragment): readonly string[] => {
  const part = defineTask({ name: 't', description: '', plan }).plan(ctx, 'm')
  return [...part.nodes.values()].flatMap((node) => node.needs.map((need) => `${need} → ${node.id}`)).sort()
}

describe('a task', () => {
  it('cannot hold a generic step: that does not compile', () => {
    const wrong = (t: Planner): ExecutionFragment =>
      // @ts-expect-error an op is not a step
      t.on(t.hosts(), writeFile({ path: '/x', content: '' }))
    expect(wrong).toBeTypeOf('function')
  })

  it('cannot use a step without the input it wants, nor with another', () => {
    // @ts-expect-error the input is missing
    const missing = (t: Planner): ExecutionFragment => t.on(t.hosts(), sized)
    // @ts-expect-error n is a number
    const other = (): unknown => use(sized, { n: 'many' })
    expect([missing, other]).toHaveLength(2)
  })

  it('puts a chain of steps on each host, hosts side by side, between two milestones', () => {
    expect(edgesOf((t) => t.on(t.hosts('worker'), step, use(sized, { n: 1 })))).toEqual([
      't/demo.size@n2 → t:end',
      't/demo.size@n3 → t:end',
      't/demo.write@n2 → t/demo.size@n2',
      't/demo.write@n3 → t/demo.size@n3',
      't:begin → t/demo.write@n2',
      't:begin → t/demo.write@n3',
    ])
  })

  it('rolls over hosts one after another, and in batches', () => {
    expect(edgesOf((t) => t.rolling(t.hosts(), step)).filter((edge) => !edge.includes('t:'))).toEqual([
      't/demo.write@n1 → t/demo.write@n2',
      't/demo.write@n2 → t/demo.write@n3',
    ])
    expect(edgesOf((t) => t.batches(t.hosts(), 2, step)).filter((edge) => !edge.includes('t:'))).toEqual([
      't/demo.write@n1 → t/demo.write@n3',
      't/demo.write@n2 → t/demo.write@n3',
    ])
  })

  it('takes the first host, or this machine', () => {
    expect(edgesOf((t) => t.first(t.hosts('worker'), step))).toContain('t:begin → t/demo.write@n2')
    expect(edgesOf((t) => t.local(step))).toContain('t:begin → t/demo.write@local')
  })

  it('tells two uses of one step apart', () => {
    expect(() => edgesOf((t) => t.on(t.hosts(), use(sized, { n: 1 }), use(sized, { n: 2 })))).toThrow(/two nodes are called/)
    expect(edgesOf((t) => t.first(t.hosts(), use(sized, { n: 1 }, 'one'), use(sized, { n: 2 }, 'two')))).toContain(
      't/demo.size:one@n1 → t/demo.size:two@n1',
    )
  })

  it('is nothing where it is not required, and its module passes that through', () => {
    const none = defineTask({ name: 'none', description: '', isRequired: () => false, plan: (t) => t.on(t.hosts(), step) })
    const some = defineTask({ name: 'some', description: '', plan: (t) => t.on(t.hosts(), step) })
    const module = defineModule({ name: 'm', create: (task) => seq(task(none), task(some), task(none)) })
    expect(module.plan('create', ctx).fragment.entry).toEqual(['some:begin'])
  })

  it('plans for fewer hosts when the context is narrowed', () => {
    const task = defineTask({ name: 't', description: '', plan: (t) => t.on(t.hosts(), step) })
    const graph = definePipeline({
      name: 'add-node',
      plan: (m, c) => m(defineModule({ name: 'm', create: (plan) => plan(task) }), 'create', c.narrow(['n3'])),
    }).plan(ctx)
    expect(toText(graph)).toContain('1 steps on 1 hosts')
  })

  it('takes parameters, and says what to do in place of its rollback', () => {
    const task = defineTask<{ n: number }>({
      name: 't',
      description: '',
      plan: (t, { n }) => t.first(t.hosts(), use(sized, { n })),
      compensate: (t) => t.first(t.hosts(), step),
    })
    const graph = definePipeline({
      name: 'p',
      plan: (m) => m(defineModule({ name: 'm', create: (plan) => plan(task, { n: 5 }) }), 'create'),
    }).plan(ctx)
    expect(toText(graph)).toContain('Make 5')
    expect([...graph.compensations.keys()]).toEqual(['m/t'])
  })

  it('is removed by the mirror of its creation unless the module says otherwise', () => {
    const task = defineTask({
      name: 't',
      description: '',
      plan: (t) => seq(t.first(t.hosts(), step), t.first(t.hosts(), use(sized, { n: 1 }))),
    })
    const module = defineModule({ name: 'm', create: (plan) => plan(task), restart: (plan) => plan(task) })
    const removed = [...module.plan('delete', ctx).fragment.nodes.values()].filter((node) => node.kind === 'step')
    expect(removed.map((node) => `${node.mode} ${node.id}`)).toEqual(['remove t/demo.write@n1'])
    expect(module.plan('renew', ctx).fragment.nodes.size).toBe(0)
    expect(module.plan('restart', ctx).fragment.nodes.size).toBeGreaterThan(0)
  })
})
