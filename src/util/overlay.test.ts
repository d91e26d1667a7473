import { expect, test } from 'vitest'
import { overlaid } from './overlay.ts'

test('maps are merged, lists and plain values are replaced, nothing else is touched', () => {
  const base = { a: { b: 1, c: [1, 2] }, d: 'x' }
  expect(overlaid(base, { a: { c: [3], e: null }, f: { g: true } })).toEqual({ a: { b: 1, c: [3], e: null }, d: 'x', f: { g: true } })
  expect(overlaid(base, { a: 'gone' })).toEqual({ a: 'gone', d: 'x' })
  expect(base).toEqual({ a: { b: 1, c: [1, 2] }, d: 'x' })
})
