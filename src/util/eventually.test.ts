import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import { eventually } from './eventually.ts'
import { minutes } from './time.ts'

/** A clock that somebody sets by so much each time it is looked at. */
class Jumping extends VirtualClock {
  readonly #by: number
  #set = 0

  constructor(by: number) {
    super()
    this.#by = by
  }

  override now(): number {
    this.#set += this.#by
    return super.now() + this.#set
  }
}

describe('waiting while somebody sets the clock', () => {
  it.each([minutes(60), -minutes(60)])('by %i ms is as patient as ever', async (by) => {
    const clock = new Jumping(by)
    let looks = 0
    const wait = (): Promise<boolean | null> =>
      eventually(
        async () => {
          looks++
          return null
        },
        { every: 100, within: 1000, clock },
      )
    expect(await clock.run(wait())).toBeNull()
    expect(looks).toBe(11)
  })
})
