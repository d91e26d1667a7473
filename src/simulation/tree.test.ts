import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Content } from './content.ts'
import type { DirectoryEntry, Entry } from './entry.ts'
import { emptyDirectory, entryAt, joinNames, locate, normalMode, replaceAt, walk } from './tree.ts'

const file = (text: string): Entry => ({ type: 'file', content: new Content(text), mode: '0644', owner: 'root:root', modified: 0 })
const link = (target: string): Entry => ({ type: 'link', target, mode: '0777', owner: 'root:root', modified: 0 })

const build = (entries: Readonly<Record<string, Entry>>): DirectoryEntry =>
  Object.entries(entries).reduce((root, [path, entry]) => replaceAt(root, path.slice(1).split('/'), entry, 0), emptyDirectory())

const sample = build({
  '/usr': emptyDirectory(),
  '/usr/bin': emptyDirectory(),
  '/usr/bin/sh': file('sh'),
  '/bin': link('usr/bin'),
  '/loop': link('/loop'),
  '/dangling': link('/nowhere/at/all'),
  '/abs': link('/usr/bin/sh'),
})

describe('locate', () => {
  const cases = [
    { path: '/bin/sh', follow: true, at: '/usr/bin/sh', type: 'file' },
    { path: '/bin', follow: false, at: '/bin', type: 'link' },
    { path: '/bin/', follow: false, at: '/bin', type: 'link' },
    { path: '/bin', follow: true, at: '/usr/bin', type: 'directory' },
    { path: '/abs', follow: true, at: '/usr/bin/sh', type: 'file' },
    { path: '/bin/../bin/./sh', follow: true, at: '/usr/bin/sh', type: 'file' },
    { path: '/dangling', follow: true, at: '/nowhere/at/all', type: null },
    { path: '/usr/new/../other', follow: true, at: '/usr/other', type: null },
    { path: '/', follow: true, at: '/', type: 'directory' },
  ]
  it.each(cases)('$path leads to $at (follow: $follow)', ({ path, follow, at, type }) => {
    const place = locate(sample, path, follow)
    expect([joinNames(place.names), place.entry?.type ?? null]).toEqual([at, type])
  })

  it('refuses loops, files as directories and relative paths', () => {
    expect(() => locate(sample, '/loop/x')).toThrow('Too many levels')
    expect(() => locate(sample, '/usr/bin/sh/x')).toThrow('Not a directory')
    expect(() => locate(sample, 'usr')).toThrow('not an absolute path')
  })
})

it('keeps the old tree when a new one is made, and counts bytes right', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const change = fc.record({
    names: fc.array(name, { minLength: 1, maxLength: 3 }),
    text: fc.option(fc.string({ maxLength: 9 }), { nil: null }),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      let root = emptyDirectory()
      const model = new Map<string, string>()
      for (const { names, text } of changes) {
        const path = joinNames(names)
        const parents = names.slice(0, -1).map((_, i) => joinNames(names.slice(0, i + 1)))
        if (parents.some((parent) => model.has(parent)) || entryAt(root, path)?.type === 'directory') continue
        for (const parent of parents)
          if (entryAt(root, parent) === null) root = replaceAt(root, parent.slice(1).split('/'), emptyDirectory(), 0)
        const old = root
        const listed = [...walk(old)].map(([at]) => at)
        root = replaceAt(root, names, text === null ? null : file(text), 0)
        expect([...walk(old)].map(([at]) => at)).toEqual(listed)
        if (text === null) model.delete(path)
        else model.set(path, text)
      }
      const files = [...walk(root)].flatMap(([path, entry]) => (entry.type === 'file' ? [[path, entry.content.text()] as const] : []))
      expect(new Map(files)).toEqual(new Map([...model].sort()))
      expect(root.bytes).toBe([...model.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0))
    }),
  )
})

it.each([
  ['644', '0644'],
  ['0644', '0644'],
  ['1777', '1777'],
  ['01777', '1777'],
  ['0', '0000'],
])('mode %s is %s', (given, normal) => expect(normalMode(given)).toBe(normal))

it('refuses a mode that is none', () => expect(() => normalMode('0o644')).toThrow('invalid mode'))
