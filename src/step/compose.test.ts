import { describe, expect, it } from 'vitest'
import type { Probe, Runner } from '../runner/index.ts'
import { seconds } from '../util/time.ts'
import { composeStep } from './compose.ts'
import { defineOp, type Kind, type Op } from './op.ts'
import type { ChangeContext } from './step.ts'

const kind: Kind<null> = { name: 'thing', probe: () => null, undo: async () => {}, isBack: () => true }

/** Things that are there once they were put there; one question is answered with all of them. */
class Things {
  readonly there = new Set<string>()
  readonly asked: (readonly Probe[])[] = []

  op(id: string, apply: () => Promise<void> = async () => {}): Op {
    return defineOp({
      kind,
      id,
      does: `put ${id}`,
      probe: { kind: 'command', command: 'list' as never },
      isDone: ({ stdout }) => stdout.split(' ').includes(id),
      capture: () => null,
      apply: async () => {
        await apply()
        this.there.add(id)
      },
    })
  }

  context(): ChangeContext {
    const inspect = async (probes: readonly Probe[]) => {
      this.asked.push(probes)
      return probes.map(() => ({ code: 0, stdout: [...this.there].join(' ') }))
    }
    const on = { inspect } as unknown as Runner
    const change: ChangeContext['change'] = async (_receipt, apply) => apply(on)
    return { on, change } as unknown as ChangeContext
  }
}

const stepOf = (ops: readonly Op[], sideBySide: boolean) =>
  composeStep({ name: 'things.put', title: 'Put things', timeout: seconds(10), sideBySide, ops: () => ops })

describe('a step made of ops', () => {
  it('puts the same question to a host once', async () => {
    const things = new Things()
    things.there.add('b')
    const step = stepOf([things.op('a'), things.op('b'), things.op('c')], false)
    expect(await step.precheck(things.context(), null)).toEqual({ is: 'needed', changes: [{ does: 'put a' }, { does: 'put c' }] })
    expect(things.asked.map((probes) => probes.length)).toEqual([1])
  })

  it('does what has nothing to do with each other side by side, and no more than is missing', async () => {
    const things = new Things()
    things.there.add('b')
    const met = Promise.withResolvers<void>()
    const first = things.op('a', () => met.promise)
    const second = things.op('c', async () => met.resolve())
    const never = things.op('b', () => Promise.reject(new Error('it is there already')))
    await stepOf([first, second, never], true).run(things.context(), null)
    expect([...things.there].sort()).toEqual(['a', 'b', 'c'])
  })

  it('ends only when all have ended, also when one of them fails', async () => {
    const things = new Things()
    const slow = Promise.withResolvers<void>()
    const failing = things.op('a', () => Promise.reject(new Error('no room')))
    const run = stepOf([failing, things.op('b', () => slow.promise)], true).run(things.context(), null)
    let ended = false
    const watched = run.catch((error: Error) => {
      ended = true
      return error.message
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toBe(false)
    slow.resolve()
    expect(await watched).toBe('no room')
    expect([...things.there]).toEqual(['b'])
  })
})
