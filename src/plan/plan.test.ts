import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeOf } from '../../test/support/engine-run.ts'
import { composeStep, defineStep } from '../step/index.ts'
import { criticalPath, type ExecutionFragment, empty, fragmentOf, mirror, par, seal, seq, toDot, toJson, toText, upTo } from './index.ts'

const kept = composeStep({ name: 'kept', title: 'Keep', timeout: 1000, ops: () => [] })
const passing = defineStep({
  name: 'passing',
  title: 'Pass',
  timeout: 1000,
  run: async () => {},
  rollback: { irreversible: 'nothing is left behind' },
})

const one = (id: string): ExecutionFragment => fragmentOf([nodeOf(kept, { id })])
const through = (id: string): ExecutionFragment => fragmentOf([nodeOf(passing, { id })])

/** The edges, for reading. */
const edges = (part: ExecutionFragment): readonly string[] =>
  [...part.nodes.values()].flatMap((node) => node.needs.map((need) => `${need} → ${node.id}`)).sort()

describe('seq and par', () => {
  it('link ends to beginnings', () => {
    expect(edges(seq(one('a'), one('b'), one('c')))).toEqual(['a → b', 'b → c'])
    expect(edges(seq(par(one('a'), one('b')), one('c')))).toEqual(['a → c', 'b → c'])
  })

  it('join many to many through one milestone, so that edges do not multiply', () => {
    const many = (prefix: string) => par(...Array.from({ length: 100 }, (_, i) => one(`${prefix}${i}`)))
    expect(edges(seq(many('a'), many('b')))).toHaveLength(200)
  })

  it('pass empties through', () => {
    expect(seq(empty, one('a'), empty, one('b')).exit).toEqual(['b'])
    expect(edges(seq(empty, one('a'), empty, one('b')))).toEqual(['a → b'])
    expect(par(empty, empty)).toBe(empty)
  })

  it('compute entry and exit of anything', () => {
    const part = fragmentOf([nodeOf(kept, { id: 'a' }), nodeOf(kept, { id: 'b', needs: ['a'] }), nodeOf(kept, { id: 'c', needs: ['a'] })])
    expect(part.entry).toEqual(['a'])
    expect(part.exit).toEqual(['b', 'c'])
  })

  it('refuse two nodes of one name', () => {
    expect(() => seq(one('a'), one('a'))).toThrow(/two nodes are called a/)
    expect(() => par(one('a'), one('a'))).toThrow(/two nodes are called a/)
  })
})

describe('mirror', () => {
  it('turns arrows and drops what leaves nothing behind, bridging its edges', () => {
    const back = mirror(seq(one('a'), through('wait'), through('look'), one('b'), par(one('c'), through('d')), one('e')))
    expect(edges(back)).toEqual(['b → a', 'c → b', 'e → b', 'e → c'])
    expect([...back.nodes.values()].every((node) => node.kind === 'milestone' || node.mode === 'remove')).toBe(true)
  })

  it('survives a very long chain', () => {
    const chain = seq(...Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? one(`n${i}`) : through(`n${i}`))))
    expect(mirror(chain).nodes.size).toBe(10_000)
  })

  it('keeps every order: what came after before comes before now', () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ keep: fc.boolean(), needs: fc.array(fc.nat(), { maxLength: 3 }) }), { minLength: 1, maxLength: 15 }),
        (specs) => {
          const nodes = specs.map(({ keep, needs }, i) =>
            nodeOf(keep ? kept : passing, { id: `n${i}`, needs: i === 0 ? [] : [...new Set(needs.map((n) => `n${n % i}`))] }),
          )
          const back = mirror(fragmentOf(nodes))
          for (const a of nodes) {
            for (const b of nodes) {
              if (a === b || a.step !== kept || b.step !== kept) continue
              expect(reaches(back, a.id, b.id)).toBe(reaches(fragmentOf(nodes), b.id, a.id))
            }
          }
        },
      ),
    ))
})

/** Whether `from` needs `to`, directly or not. */
function reaches(part: ExecutionFragment, from: string, to: string): boolean {
  return (part.nodes.get(from)?.needs ?? []).some((need) => need === to || reaches(part, need, to))
}

describe('upTo', () => {
  const of = (module: string, id: string) => fragmentOf([{ ...nodeOf(kept, { id }), module }])
  const plan = seal('create-cluster', seq(of('look', 'l'), par(of('node', 'n'), of('fetch', 'f')), of('runtime', 'r'), of('etcd', 'e')))

  it('keeps a module and all that it needs', () => {
    expect(upTo(plan, 'runtime').nodes.map(({ id }) => id)).toEqual(['l', 'n', 'f', 'r'])
    expect(upTo(plan, 'node').nodes.map(({ id }) => id)).toEqual(['l', 'n'])
    expect(upTo(plan, 'etcd').digest).toBe(plan.digest)
  })

  it('leaves out modules that only come before, and keeps the order around them', () => {
    const without = upTo(plan, 'runtime', ['fetch', 'node'])
    expect(without.nodes.map(({ id, needs }) => [id, needs])).toEqual([
      ['l', []],
      ['r', ['l']],
    ])
    expect(upTo(plan, 'fetch', ['fetch']).nodes.map(({ id }) => id)).toEqual(['l', 'f'])
  })

  it('names the modules there are', () => {
    expect(() => upTo(plan, 'runtim')).toThrow(/--until runtim: the modules of this plan are look, node, fetch, runtime, etcd/)
  })
})

describe('seal', () => {
  it('names a cycle the same way every time', () => {
    const nodes = [
      nodeOf(kept, { id: 'b', needs: ['c'] }),
      nodeOf(kept, { id: 'c', needs: ['a'] }),
      nodeOf(kept, { id: 'a', needs: ['b'] }),
    ]
    expect(() => seal('p', fragmentOf(nodes))).toThrow('a → b → c → a')
    expect(() => seal('p', fragmentOf([...nodes].reverse()))).toThrow('a → b → c → a')
  })

  it('names a need that is not there', () => {
    expect(() => seal('p', fragmentOf([nodeOf(kept, { id: 'a', needs: ['ghost'] })]))).toThrow('a needs ghost, which is not in the plan')
  })

  it('refuses two different steps of one name', () => {
    const other = composeStep({ name: 'kept', title: 'Other', timeout: 1, ops: () => [] })
    expect(() => seal('p', par(one('a'), fragmentOf([nodeOf(other, { id: 'b' })])))).toThrow(/two different steps are called kept/)
  })

  it('gives equal plans equal digests, and different ones different', () => {
    const digest = (...parts: ExecutionFragment[]) => seal('p', seq(...parts)).digest
    expect(digest(one('a'), one('b'))).toBe(digest(one('a'), one('b')))
    expect(digest(one('a'), one('b'))).not.toBe(digest(one('b'), one('a')))
  })
})

describe('rendering', () => {
  const graph = seal('create-cluster', seq(one('prepare/kept@n1'), par(one('x/kept@n1'), one('x/kept@n2')), one('end/kept@n1')))

  it('shows the longest chain', () => {
    expect(criticalPath(graph).path).toEqual(['prepare/kept@n1', 'x/kept@n1', 'end/kept@n1'])
  })

  it('prints text and JSON', () => {
    expect(toText(graph)).toContain('create-cluster: 4 steps on 1 hosts')
    expect((toJson(graph) as { nodes: unknown[] }).nodes).toHaveLength(4)
  })

  it('draws a box for each task, and only the edges that do not follow from others', () => {
    const at = (task: string, host: string) => fragmentOf([nodeOf(kept, { id: `${task}@${host}`, task, host })])
    const [a, b, c] = [par(at('a', 'n1'), at('a', 'n2')), par(at('b', 'n1'), at('b', 'n2')), at('c', 'n1')]
    const dot = toDot(seal('p', seq(a, b, c)))
    expect(dot.match(/ -> /g)).toHaveLength(2)
    expect(dot).toContain('"m/a" -> "m/b"')
    expect(dot).toContain('"m/b" -> "m/c"')
    expect(dot).toMatch(/"m\/b" \[label="b\\l {2}Keep · n1, n2 +\\l", fillcolor="#ffe2b8"/)
  })
})
