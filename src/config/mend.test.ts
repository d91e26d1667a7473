import { describe, expect, it } from 'vitest'
import { mend } from './mend.ts'

describe('characters that only look right', () => {
  it.each([
    ['version： 1.7.6', 'version: 1.7.6'],
    ['- name：x', '- name:x'],
    ['hosts: ［node1，node2］', 'hosts: [node1,node2]'],
    ['hosts: 【node1、node2】', 'hosts: [node1,node2]'],
    ['- {name： a， address: b}', '- {name: a, address: b}'],
    ['name: “a b”', 'name: "a b"'],
    ['name: ‘a’', "name: 'a'"],
    ['－ node1', '- node1'],
    ['— node1', '- node1'],
    ['name: a ＃ remark', 'name: a # remark'],
    ['port: ６443', 'port: 6443'],
    ['address: 10．0．0．1', 'address: 10.0.0.1'],
    ['name:\u00a0a', 'name: a'],
    ['name:\u3000a', 'name: a'],
  ])('%s', (text, mended) => {
    const result = mend(text)
    expect(result.mended).toBe(mended)
    expect(result.mends.length).toBeGreaterThan(0)
    expect(result.mends.every(({ kind, line }) => kind === 'lookalike' && line === 1)).toBe(true)
  })

  it.each([
    ['a comment', 'name: a # 表示：向这个链接，同步'],
    ['double quotes', 'name: "a：b，“c”"'],
    ['single quotes', "name: 'a：b'"],
    ['prose', 'about: 你好，世界：很好'],
    ['a block text', 'about: |\n  a： b\n  “c”\nname: b'],
    ['ASCII', 'a: b\n'],
  ])('are left alone in %s', (_, text) => expect(mend(text)).toEqual({ mended: text, mends: [], shifts: new Map() }))

  it('are still seen after a block text has ended', () => {
    const { mended, mends } = mend('about: |\n  a： b\nname： c')
    expect(mended).toBe('about: |\n  a： b\nname: c')
    expect(mends.map(({ line, col }) => [line, col])).toEqual([[3, 5]])
  })
})

describe('tabs', () => {
  it.each([
    [
      'a file indented with them throughout',
      'spec:\n\thosts:\n\t- name: a\n\t\taddress: b\n\tother: c',
      'spec:\n  hosts:\n  - name: a\n    address: b\n  other: c',
    ],
    ['one line among others', 'spec:\n  hosts:\n  - name: a\n\taddress: b', 'spec:\n  hosts:\n  - name: a\n    address: b'],
    ['after a comment and an empty line', 'spec:\n\n# remark\n\thosts: []', 'spec:\n\n# remark\n  hosts: []'],
  ])('%s', (_, text, mended) => expect(mend(text).mended).toBe(mended))

  it('count as one column each in what is reported', () => {
    const { mends, shifts } = mend('a:\n\t\tb： c')
    expect(mends.map(({ kind, line, col }) => [kind, line, col])).toEqual([
      ['tab', 2, 1],
      ['lookalike', 2, 4],
    ])
    expect(shifts).toEqual(new Map([[2, 0]]))
  })

  it('inside a line are no mistake', () => expect(mend('a:\tb').mends).toEqual([]))
})
