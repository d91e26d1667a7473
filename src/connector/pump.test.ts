import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { pump } from './pump.ts'

/** Takes its time with every chunk, and looks at it only then. */
class Slow extends Writable {
  received = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    setTimeout(() => {
      this.received += chunk.toString()
      done()
    }, 1)
  }
}

test('a source may use the same memory for every chunk', async () => {
  const memory = Buffer.alloc(4)
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 20; i++) {
      memory.write(String(i).padStart(4, '.'))
      yield memory
    }
  }
  const to = new Slow({ highWaterMark: 1 << 20 })
  await pump(to, 'first ', source(), new Promise(() => undefined))
  await new Promise((resolve) => to.once('finish', resolve))
  expect(to.received).toBe(`first ${Array.from({ length: 20 }, (_, i) => String(i).padStart(4, '.')).join('')}`)
})

test('a command that ends without taking its input stops the source', async () => {
  const ended = Promise.withResolvers<void>()
  let given = 0
  async function* source(): AsyncGenerator<Uint8Array> {
    for (;;) {
      given++
      yield Buffer.alloc(10)
    }
  }
  const never = new Writable({ write: () => undefined })
  const pumping = pump(never, '', source(), ended.promise)
  ended.resolve()
  await pumping
  expect(given).toBeLessThan(3)
})
