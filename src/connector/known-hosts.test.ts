import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fingerprint, keyType, knownHostName, matchesName, parseKnownHosts } from './known-hosts.ts'

const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIJ1dwRhCkUOSyYXmjlMSDAqRPfOP1yQEgHBPhjGlUKcc'
const hashed = (name: string): string => {
  const salt = Buffer.from('0123456789abcdefghij')
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`
}
const matches = (names: string, name: string): boolean =>
  parseKnownHosts(`${names} ssh-ed25519 ${key}`).some((entry) => matchesName(entry, name))

describe('known_hosts', () => {
  it.each([
    ['node1', 'node1', true],
    ['node1,10.0.0.1', '10.0.0.1', true],
    ['node1', 'node11', false],
    ['Node1', 'node1', true],
    ['[node1]:2222', '[node1]:2222', true],
    ['node1', '[node1]:2222', false],
    ['*.example.org', 'a.example.org', true],
    ['*.example.org,!b.example.org', 'b.example.org', false],
    ['10.0.0.?', '10.0.0.7', true],
    ['10.0.0.?', '10.0.0.77', false],
    ['a.b', 'aXb', false],
    [hashed('node1'), 'node1', true],
    [hashed('node1'), 'node2', false],
    [hashed('[node1]:2222'), '[node1]:2222', true],
    ['|1|broken', 'node1', false],
  ])('%s is about %s: %s', (names, name, expected) => expect(matches(names, name)).toBe(expected))

  it('leaves out comments, blank lines and what it does not understand, and keeps line numbers', () => {
    const text = `# comment\n\nhalf a-line\n@revoked bad ssh-ed25519 ${key} note\n@unknown x ssh-ed25519 ${key}\n  good ssh-ed25519 ${key}\n`
    expect(parseKnownHosts(text).map(({ line, marker, names }) => [line, marker, names])).toEqual([
      [4, 'revoked', ['bad']],
      [6, null, ['good']],
    ])
  })

  it('names ports other than 22', () => {
    expect(knownHostName('fd00::1', 22)).toBe('fd00::1')
    expect(knownHostName('fd00::1', 2222)).toBe('[fd00::1]:2222')
  })

  it('reads the type of a key and shows it as ssh-keygen does', () => {
    const blob = Buffer.from(key, 'base64')
    expect(keyType(blob)).toBe('ssh-ed25519')
    expect(fingerprint(blob)).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
  })
})
