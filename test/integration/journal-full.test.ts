// The disk of this machine fills up in the middle of a run: a real one, small, that is made larger afterwards.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defineStep, needed, satisfied } from '../../src/step/index.ts'
import { graphOf, inTemporaryDirectory, nodeOf, runGraph } from '../support/engine-run.ts'

const canMount = process.platform === 'linux' && process.getuid?.() === 0
const nodes = 400

describe.skipIf(!canMount)('a full disk', () => {
  it('stops the run before anything is done that is not journaled; with space again it is resumed and nothing is done twice', () =>
    inTemporaryDirectory(async (parent) => {
      const directory = join(parent, 'small')
      mkdirSync(directory)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'kubexm-test', directory])
      try {
        const made = new Map<string, number>()
        const step = (id: string) =>
          defineStep({
            name: id,
            title: id,
            timeout: 60_000,
            precheck: async () => (made.has(id) ? satisfied : needed(`make ${id}`)),
            run: (ctx) =>
              ctx.change(
                { kind: 'custom', id, does: `make ${id}`, before: null, owned: false },
                async () => void made.set(id, (made.get(id) ?? 0) + 1),
              ),
            rollback: { irreversible: 'a test' },
          })
        const graph = graphOf(...Array.from({ length: nodes }, (_, i) => nodeOf(step(`n${i}`), { id: `n${i}`, host: `h${i % 20}` })))

        const full = await runGraph(graph, directory)
        expect(full.report.outcome).toBe('failed')
        expect(new Set(full.report.errors.map((error) => error.code))).toEqual(new Set(['KX_JOURNAL_WRITE']))
        expect(made.size).toBeGreaterThan(0)
        expect(made.size).toBeLessThan(nodes)

        execFileSync('mount', ['-o', 'remount,size=4m', directory])
        const resumed = await runGraph(graph, directory, { resume: true })
        expect(resumed.report.errors).toEqual([])
        expect([...made.values()].filter((times) => times !== 1)).toEqual([])
        expect(made.size).toBe(nodes)
        expect([...resumed.report.states.values()].filter((state) => state === 'resumed').length).toBeGreaterThan(0)
      } finally {
        execFileSync('umount', [directory])
      }
    }))
})
