import { expect, test } from 'vitest'
import { formatBytes, ProgressMeter } from './progress.ts'

test('rate and ETA follow the last seconds', () => {
  let now = 0
  const meter = new ProgressMeter(() => now)
  expect(meter.read()).toEqual({ done: 0, total: null, rate: 0, eta: null })
  for (const done of [0, 100, 200, 300]) {
    meter.set(done, 1000)
    now += 1000
  }
  now -= 1000
  expect(meter.read()).toEqual({ done: 300, total: 1000, rate: 100, eta: 7000 })
  // A minute without a byte: the old burst is forgotten.
  now += 60_000
  meter.set(300, 1000)
  now += 1000
  meter.set(300, 1000)
  expect(meter.read()).toMatchObject({ rate: 0, eta: null })
  meter.set(1000, 1000)
  expect(meter.read().eta).toBe(0)
})

test('a transfer that starts over is not faster than light', () => {
  let now = 0
  const meter = new ProgressMeter(() => now)
  meter.set(5000, 6000)
  now = 1000
  meter.set(10, 6000)
  now = 2000
  meter.set(20, 6000)
  expect(meter.read().rate).toBe(10)
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [83_869_858, '80.0 MiB'],
  [5 * 2 ** 40, '5.0 TiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
