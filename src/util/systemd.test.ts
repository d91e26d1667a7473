import { describe, expect, it } from 'vitest'
import { execStart, unitWord } from './systemd.ts'

describe('a word of a unit file', () => {
  it.each([
    ['--a=b/c,d', '--a=b/c,d'],
    ['--format=%h', '--format=%%h'],
    ['--price=$5', '--price=$$5'],
    ['--a=two words', '"--a=two words"'],
    ['say "hi" \\ there', '"say \\"hi\\" \\\\ there"'],
    ['a;b', '"a;b"'],
    ['line\nbreak', '"line\\nbreak"'],
    ['', '""'],
  ])('%j is written %s', (word, written) => expect(unitWord(word)).toBe(written))
})

it('arguments stand one a line, by name', () => {
  expect(execStart('/bin/x', { zeta: '1', alpha: 'a b' })).toBe('/bin/x \\\n  "--alpha=a b" \\\n  --zeta=1')
})
