import { expect, test } from 'vitest'
import { compareVersions, minorOf, numberOf, withV } from './version.ts'

test.each([
  ['v1.34.4', 'v1.34.10', -1],
  ['v1.34.4', '1.34.4', 0],
  ['1.9', '1.10', -1],
  ['2.0', '2.0.0', 0],
  ['v1.35.0-rc.1', 'v1.35.0', -1],
  ['v1.35.0-beta.0', 'v1.35.0-rc.0', -1],
  ['3.6.5', 'v3.5.24', 1],
])('%s against %s is %i', (a, b, expected) => {
  expect(Math.sign(compareVersions(a, b))).toBe(expected)
  expect(Math.sign(compareVersions(b, a))).toBe(expected === 0 ? 0 : -expected)
})

test('parts of a version', () => {
  expect([minorOf('v1.34.4'), minorOf('2.1.4'), numberOf('v1.2.3'), withV('1.2.3'), withV('v1.2.3')]).toEqual([
    'v1.34',
    'v2.1',
    '1.2.3',
    'v1.2.3',
    'v1.2.3',
  ])
})
