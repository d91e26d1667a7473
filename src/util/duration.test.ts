import { describe, expect, it } from 'vitest'
import { goDuration, parseDuration } from './duration.ts'

describe('a duration', () => {
  it.each([
    ['8760h', 8760 * 3_600_000],
    ['1y', 365 * 86_400_000],
    ['1d12h', 36 * 3_600_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['2m', 120_000],
    ['1m500ms', 60_500],
  ])('%s is %d milliseconds', (text, ms) => expect(parseDuration(text)).toBe(ms))

  it.each(['', '10', 'h', '10 h', '10w', '-1h', '1h!'])('%j is none', (text) => expect(parseDuration(text)).toBeNull())
})

it.each([
  ['40s', '40s'],
  ['1m30s', '1m30s'],
  ['1d', '86400s'],
  ['1d12h', '129600s'],
])('%s is %s for a program in Go', (text, go) => expect(goDuration(text)).toBe(go))
