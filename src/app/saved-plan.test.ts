import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { graphOf, inTemporaryDirectory, nodeOf } from '../../test/support/engine-run.ts'
import type { Host } from '../runtime/index.ts'
import { SimulatedHost } from '../simulation/index.ts'
import { composeStep } from '../step/index.ts'
import { hashOf } from '../util/hash.ts'
import { checkSavedPlan, writePlan } from './saved-plan.ts'

const step = composeStep({ name: 'x', title: 'Do', timeout: 1000, ops: () => [] })
const node = (id: string, input: string | null = null) => ({ ...nodeOf(step, { id }), input, inputHash: hashOf(input) })
const graph = graphOf(node('t/x@n1'), node('t/x@n2'))

const hostOf = async (name: string, changed: Partial<Host['facts']> = {}): Promise<Host> =>
  ({ name, facts: { ...(await new SimulatedHost({ name }).runner().facts()), ...changed } }) as Host

/** Saves a plan made for two hosts, then looks whether it still fits. */
const refusal = (nowGraph: typeof graph, nowHosts: readonly Host[], spoil = (text: string): string => text): Promise<string> =>
  inTemporaryDirectory(async (directory) => {
    const file = join(directory, 'plan.json')
    await writePlan(file, graph, [await hostOf('n1'), await hostOf('n2')])
    await writeFile(file, spoil(await readFile(file, 'utf8')))
    return checkSavedPlan(file, nowGraph, nowHosts).then(
      () => 'fits',
      (error: Error) => error.message.replace(file, 'FILE'),
    )
  })

describe('a saved plan', () => {
  const hosts = async (changed: Partial<Host['facts']> = {}) => [await hostOf('n1'), await hostOf('n2', changed)]

  it('fits as long as nothing moved but what moves by itself or by kubexm', async () => {
    expect(await refusal(graph, await hosts({ uptimeSeconds: 9, clockOffsetMs: 400, disks: [], hostname: 'renamed' }))).toBe('fits')
  })

  it.each([
    [{ kernel: '6.9.0' }, /^the saved plan FILE no longer fits: kernel of n2 was \S+ and is 6\.9\.0$/],
    [{ machineId: 'another' }, /machineId of n2 was \S+ and is another/],
    [{ os: { id: 'debian', idLike: [], version: '13', name: 'x' } }, /os of n2 was debian 12 and is debian 13/],
    [{ packageManager: null }, /packageManager of n2 was apt and is unknown/],
  ] satisfies [Partial<Host['facts']>, RegExp][])('is refused when a fact moved: %j', async (changed, said) => {
    expect(await refusal(graph, await hosts(changed))).toMatch(said)
  })

  it.each([
    ['a step came', graphOf(node('t/x@n1'), node('t/x@n2'), node('u/x@n1')), 'u/x@n1 would be done as well'],
    ['a step went', graphOf(node('t/x@n1')), 't/x@n2 would not be done any more'],
    ['a value changed', graphOf(node('t/x@n1'), node('t/x@n2', 'new')), 't/x@n2 would be done with other values'],
    ['the order changed', graphOf(node('t/x@n1'), { ...node('t/x@n2'), needs: ['t/x@n1'] }), 'the order of its steps is another one'],
    ['it is for something else', { ...graph, pipeline: 'delete-cluster' }, 'it is a plan for test'],
  ])('is refused when %s', async (_what, now, said) => {
    expect(await refusal(now, await hosts())).toContain(said)
  })

  it('is refused for more or fewer hosts', async () => {
    expect(await refusal(graph, [await hostOf('n1')])).toContain('n2 was among its hosts')
    expect(await refusal(graph, [...(await hosts()), await hostOf('n3')])).toContain('n3 was not among its hosts')
  })

  it('that is none is refused', async () => {
    expect(await refusal(graph, [], () => 'hello')).toMatch(/^cannot read the saved plan FILE: /)
  })
})
