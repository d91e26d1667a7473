import { describe, expect, it } from 'vitest'
import { ChannelQueue } from './channel-queue.ts'
import { Places } from './places.ts'

const live = (): AbortSignal => new AbortController().signal
const settled = async (work: Promise<unknown>): Promise<boolean> =>
  await Promise.race([work.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])

describe('places', () => {
  it('never hold more than their number, and serve in order', async () => {
    const places = new Places(3)
    let [inside, most] = [0, 0]
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        places.within(async () => {
          order.push(i)
          most = Math.max(most, ++inside)
          await new Promise((resolve) => setImmediate(resolve))
          inside--
        }, live()),
      ),
    )
    expect(most).toBe(3)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(places.taken).toBe(0)
  })

  it('are left by who no longer waits, and given back by work that fails', async () => {
    const places = new Places(1)
    await places.take(live())
    const stop = new AbortController()
    const leaving = places.take(stop.signal)
    const next = places.take(live())
    stop.abort(new Error('gone'))
    await expect(leaving).rejects.toThrow('gone')
    places.give()
    await next
    places.give()
    await expect(places.within(() => Promise.reject(new Error('broken')), live())).rejects.toThrow('broken')
    expect(places.taken).toBe(0)
  })
})

describe('the queue for sessions', () => {
  it('learns the limit of the server from a refusal and keeps one session free', async () => {
    const queue = new ChannelQueue(64)
    for (let i = 0; i < 11; i++) await queue.take(live())
    for (let i = 0; i < 10; i++) queue.opened()
    expect(queue.refused()).toBe(true)
    queue.give()
    const next = queue.take(live())
    expect(await settled(next)).toBe(false)
    queue.closed()
    queue.give()
    expect(await settled(next)).toBe(false)
    queue.closed()
    queue.give()
    expect(await settled(next)).toBe(true)
  })

  it('gives up waiting where there is nothing of ours to wait for', async () => {
    const queue = new ChannelQueue(64)
    await queue.take(live())
    expect(queue.refused()).toBe(false)
  })
})
