import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { graphOf, inTemporaryDirectory, nodeOf, runGraph, testKey } from '../../test/support/engine-run.ts'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import type { ExecutionGraph } from '../plan/index.ts'
import { defineStep, needed, satisfied } from '../step/index.ts'
import { type Journal, openJournal } from './journal.ts'

/** A world in which each node makes one change, and it is counted how often it was made. */
class Changes {
  readonly made = new Map<string, number>()
  readonly undone: string[] = []
  dead = false

  graph(specs: readonly { readonly needs: readonly number[]; readonly task: number }[]): ExecutionGraph {
    return graphOf(
      ...specs.map(({ needs, task }, i) =>
        nodeOf(this.step(`n${i}`), { id: `n${i}`, task: `t${task}`, needs: i === 0 ? [] : [...new Set(needs.map((n) => `n${n % i}`))] }),
      ),
    )
  }

  step(id: string) {
    return defineStep({
      name: id,
      title: id,
      timeout: 60_000,
      precheck: async () => (this.made.has(id) ? satisfied : needed(`make ${id}`)),
      run: (ctx) =>
        ctx.change({ kind: 'custom', id, does: `make ${id}`, before: null, owned: false }, async () => {
          if (this.dead) await never()
          this.made.set(id, (this.made.get(id) ?? 0) + 1)
        }),
      rollback: async () => {
        this.undone.push(id)
        this.made.delete(id)
      },
    })
  }
}

const never = (): Promise<never> => new Promise(() => {})

/** A journal whose process dies after so many lines: what comes later never returns. */
function dying(journal: Journal, lines: number, onDeath: () => void): Journal {
  let left = lines
  const gated =
    <A extends readonly unknown[]>(write: (...args: A) => Promise<void>) =>
    async (...args: A): Promise<void> => {
      if (left-- <= 0) {
        onDeath()
        await never()
      }
      await write(...args)
    }
  return { ...journal, begin: gated(journal.begin), receipt: gated(journal.receipt), done: gated(journal.done), end: gated(journal.end) }
}

const specs = fc.array(fc.record({ needs: fc.array(fc.nat(), { maxLength: 3 }), task: fc.integer({ min: 0, max: 2 }) }), {
  minLength: 1,
  maxLength: 6,
})

describe('resume', () => {
  it(
    'after death at every line of the journal reaches the same end, and makes no change twice',
    () =>
      fc.assert(
        fc.asyncProperty(specs, (nodes) =>
          inTemporaryDirectory(async (directory) => {
            // begin, a receipt and a done for each node, end
            for (let lines = 1; lines <= 2 + 2 * nodes.length; lines++) {
              const file = join(directory, `state-${lines}.jsonl`)
              const world = new Changes()
              const graph = world.graph(nodes)
              const journal = await openJournal(file, testKey)
              const clock = new VirtualClock()
              await new Promise<void>((dead) => {
                const mortal = dying(journal, lines, () => {
                  world.dead = true
                  clock.stop()
                  dead()
                })
                runGraph(graph, directory, { journal: mortal, clock }).then(() => dead(), dead)
              })
              await journal[Symbol.asyncDispose]()
              world.dead = false
              const again = await openJournal(file, testKey)
              const { report } = await runGraph(graph, directory, { journal: again, resume: true })
              await again[Symbol.asyncDispose]()
              expect(report.outcome).toBe('success')
              expect([...world.made.values()].every((times) => times === 1)).toBe(true)
              expect(world.made.size).toBe(nodes.length)
            }
          }),
        ),
        { numRuns: 10 },
      ),
    60_000,
  )

  it('runs again what has other inputs than before', () =>
    inTemporaryDirectory(async (directory) => {
      const world = new Changes()
      const node = nodeOf(world.step('a'), { id: 'a' })
      await runGraph(graphOf(node), directory)
      const same = await runGraph(graphOf(node), directory, { resume: true })
      expect(same.report.states.get('a')).toBe('resumed')
      const other = await runGraph(graphOf({ ...node, inputHash: 'other' }), directory, { resume: true })
      expect(other.report.states.get('a')).toBe('satisfied')
    }))

  it('loses nothing when the journal cannot be written: what is not journaled is not done', () =>
    inTemporaryDirectory(async (directory) => {
      const world = new Changes()
      const graph = world.graph([
        { needs: [], task: 0 },
        { needs: [0], task: 0 },
        { needs: [1], task: 1 },
      ])
      const file = join(directory, 'state.jsonl')
      const journal = await openJournal(file, testKey)
      let lines = 0
      const full: Journal = {
        ...journal,
        receipt: async (node, order, receipt) => {
          // The disk fills up in the middle of the second change's line.
          if (++lines < 2) return journal.receipt(node, order, receipt)
          await appendFile(file, '{"t":"receipt","n":"n1","r":{"ki')
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
        },
      }
      const { report } = await runGraph(graph, directory, { journal: full })
      await journal[Symbol.asyncDispose]()
      expect(report.outcome).toBe('failed')
      expect([...world.made.keys()]).toEqual(['n0'])
      // Nothing of the torn line disturbs the next process.
      await writeFile(file, (await readFile(file, 'utf8')).replace(/\n\{"t":"end".*\n$/, '\n'))
      const again = await runGraph(graph, directory, { resume: true })
      expect(again.report.outcome).toBe('success')
      expect([...world.made.values()]).toEqual([1, 1, 1])
    }))
})

describe('rollback', () => {
  it('undoes the failed task only, last started first, and goes on when one undo fails', () =>
    fc.assert(
      fc.asyncProperty(specs, fc.nat(), (nodes, pick) =>
        inTemporaryDirectory(async (directory) => {
          const world = new Changes()
          const failing = `n${pick % nodes.length}`
          const graph = world.graph(nodes)
          const started: string[] = []
          const broken = {
            ...graph,
            nodes: graph.nodes.map((node) =>
              node.kind === 'step' && node.id === failing
                ? { ...node, step: { ...node.step, verify: async () => Promise.reject(new Error('broken')) } }
                : node,
            ),
          }
          const { report, events } = await runGraph(broken, directory, {
            rollbackOnFailure: true,
            limits: { total: 3, perHost: 3, transfers: 1 },
          })
          for (const event of events) if (event.type === 'step.started' && event.node !== undefined) started.push(event.node)
          const task = graph.nodes.find((node) => node.id === failing)?.task
          const inTask = started.filter((id) => graph.nodes.find((node) => node.id === id)?.task === task)
          expect(report.outcome).toBe('failed')
          expect(world.undone).toEqual(inTask.reverse())
          expect([...world.made.keys()].filter((id) => inTask.includes(id))).toEqual([])
        }),
      ),
      { numRuns: 60 },
    ))
})
