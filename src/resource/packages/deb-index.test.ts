import { describe, expect, test } from 'vitest'
import { type DebPackage, parsePackages, withDependencies } from './deb-index.ts'
import { compareDebVersions } from './deb-version.ts'

const hash = 'a'.repeat(64)

describe('Debian versions', () => {
  test.each([
    ['1.0', '1.1'],
    ['1.9', '1.10'],
    ['1.0~rc1', '1.0'],
    ['1.0~rc1', '1.0~rc2'],
    ['9.0', '1:1.0'],
    ['1.0-1', '1.0-1+deb12u1'],
    ['1.0-1', '1.0-2'],
    ['1.0-1~bpo12+1', '1.0-1'],
    ['1.0', '1.0a'],
    ['1.0a', '1.0+b1'],
    ['2.36-9+deb12u3', '2.36-9+deb12u14'],
    ['20.10.24+dfsg1-1+b3', '20.10.24+dfsg1-1+deb12u1+b6'],
  ])('%s is older than %s', (older, newer) => {
    expect(compareDebVersions(older, newer)).toBeLessThan(0)
    expect(compareDebVersions(newer, older)).toBeGreaterThan(0)
  })
  test.each([
    ['1.0', '1.0-0'],
    ['0:1.0', '1.0'],
    ['1.01', '1.1'],
  ])('%s is %s', (a, b) => expect(compareDebVersions(a, b)).toBe(0))
})

const index = `Package: socat
Version: 1.7.4.4-2
Architecture: amd64
Depends: libc6 (>= 2.34), libssl3 (>= 3.0.0) | libssl1.1,
 libwrap0:any [amd64] <!nocheck>
Pre-Depends: dpkg
Description: multipurpose relay
 for data
Filename: ./socat_1%3a1.7.4.4-2_amd64.deb
Size: 376328
SHA256: ${hash}

Package: unproven
Version: 1
Architecture: all
Filename: u.deb

Package: mawk
Version: 1.3
Architecture: amd64
Priority: required
Provides: awk (= 1.0), other
Filename: pool/m/mawk.deb
Size: 1
SHA256: ${hash}
`

test('an index tells what a package needs and where it is', () => {
  expect(parsePackages(index, 'http://mirror/packages/')).toEqual([
    {
      name: 'socat',
      version: '1.7.4.4-2',
      architecture: 'amd64',
      depends: [['dpkg'], ['libc6'], ['libssl3', 'libssl1.1'], ['libwrap0']],
      provides: [],
      required: false,
      url: 'http://mirror/packages/socat_1%253a1.7.4.4-2_amd64.deb',
      size: 376328,
      sha256: hash,
    },
    expect.objectContaining({ name: 'mawk', provides: ['awk', 'other'], required: true, url: 'http://mirror/packages/pool/m/mawk.deb' }),
  ])
})

const one = (name: string, more: Partial<DebPackage> = {}): DebPackage => ({
  ...{ name, version: '1', architecture: 'amd64', depends: [], provides: [], required: false, url: '', size: 1, sha256: hash },
  ...more,
})
const chosen = (all: readonly DebPackage[], ...names: readonly string[]): readonly string[] =>
  withDependencies(all, names, 'amd64').map(({ name, version }) => `${name} ${version}`)

describe('what a package needs comes with it', () => {
  test('over any distance, in a circle too, each once', () => {
    const all = [one('a', { depends: [['b']] }), one('b', { depends: [['c'], ['a']] }), one('c'), one('d')]
    expect(chosen(all, 'a')).toEqual(['a 1', 'b 1', 'c 1'])
  })
  test('in its newest version, and for this architecture', () => {
    const all = [one('a'), one('a', { version: '10' }), one('a', { version: '9' }), one('a', { version: '99', architecture: 'arm64' })]
    expect(chosen([...all, one('b', { architecture: 'all' })], 'a', 'b')).toEqual(['a 10', 'b 1'])
  })
  test('by the first alternative that can be had, or by one that stands for it', () => {
    const all = [
      one('a', { depends: [['gone', 'b'], ['awk'], ['nobody-has-it']] }),
      one('b'),
      one('gawk', { provides: ['awk'] }),
      one('mawk', { provides: ['awk'], required: true }),
    ]
    expect(chosen(all, 'a')).toEqual(['a 1', 'b 1', 'mawk 1'])
    expect(chosen(all, 'a', 'gawk')).toEqual(['a 1', 'b 1', 'gawk 1'])
  })
  test('a package that was asked for and is not there is named', () => {
    expect(() => chosen([one('a')], 'a', 'x', 'y')).toThrow(
      expect.objectContaining({ code: 'KX_PACKAGE_SOURCE', message: expect.stringContaining('x y') }),
    )
  })
})
