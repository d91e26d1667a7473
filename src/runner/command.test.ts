import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { all, lines, nested, quote, sh } from './command.ts'

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/busybox'].filter((shell) => existsSync(shell))

/** The words a real shell makes of a command's arguments. */
function wordsSeenBy(shell: string, command: string): readonly string[] {
  const args = shell.endsWith('busybox') ? ['sh', '-c', command] : ['-c', command]
  const output = execFileSync(shell, args, { env: { HOME: '/nonexistent', PATH: '/usr/bin:/bin', IFS: ' \t\n' }, cwd: '/' })
  return output.toString().split('\0').slice(0, -1)
}

/** What has broken other people's quoting, besides whatever fast-check thinks of. */
// biome-ignore format: a table of short strings
const hostile = [
  '',
  ' ',
  "'",
  "''",
  "'\\''",
  '"',
  '\\',
  '\\\\',
  '\n',
  '\r\n',
  '\t',
  '$HOME',
  '$' + '{HOME}',
  '$(id)',
  '`id`',
  '!',
  '!!',
  '*',
  '?',
  '[a-z]*',
  '~',
  '~root',
  '{a,b}',
  '#',
  '# x',
  ';id',
  '&',
  '&& id',
  '|id',
  '>/dev/null',
  '<x',
  '-n',
  '--',
  '-e x',
  '=',
  'a=b',
  '%s%n',
  '\u0001',
  '\u001e',
  '\u007f',
  'é',
  '日本',
  '🙂',
  '\u2028',
  'a\'b"c\\d$e`f\ng',
  '\\n',
  '\\0101',
  "$'x'",
  '$"x"',
  "'; rm -rf / #",
  ' leading',
  'trailing ',
  '\\',
]
const character = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))
const word = fc.array(character, { maxLength: 6 }).map((parts) => parts.join('').replaceAll('\0', ''))

describe.each(shells)('quoting under %s', (shell) => {
  it('makes exactly one word of every hostile string', () => {
    expect(wordsSeenBy(shell, sh`printf '%s\\0' ${hostile}`)).toEqual(hostile)
  })

  it('makes exactly one word of any string', () => {
    fc.assert(
      // Many words a time: starting a shell takes longer than all it does.
      fc.property(fc.array(word, { minLength: 1, maxLength: 80 }), (words) => {
        const within = words.map((each) => sh`printf '%s\\0' before${each}after`)
        const expected = [...words, ...words.map((each) => `before${each}after`)]
        expect(wordsSeenBy(shell, lines(sh`printf '%s\\0' ${words}`, ...within))).toEqual(expected)
      }),
      { numRuns: 15 },
    )
  })
})

describe('a command', () => {
  it('refuses a NUL, which no argument can hold', () => {
    expect(() => quote('a\0b')).toThrow(RangeError)
  })

  it('leaves plain words readable', () => {
    expect(sh`systemctl restart ${'etcd.service'} --timeout ${30}`).toBe('systemctl restart etcd.service --timeout 30')
    expect(sh`echo ${['a b', 'c']}`).toBe("echo 'a b' c")
  })

  it('is joined with others, and put into others only on purpose', () => {
    const inner = sh`echo ${'a b'}`
    expect(all(inner, sh`true`)).toBe("echo 'a b' && true")
    expect(lines(inner, sh`true`)).toBe("echo 'a b'\ntrue")
    expect(sh`if ${nested(inner)}; then :; fi`).toBe("if echo 'a b'; then :; fi")
    expect(sh`sh -c ${inner}`).toBe(`sh -c 'echo '\\''a b'\\'''`)
  })
})
