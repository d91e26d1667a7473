import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Edited, indented, newLine, offsetOf, outdented } from './edit.ts'
import { piecesOf } from './highlight.ts'

/** A text with its selection between bars. */
const edited = (marked: string): Edited => {
  const start = marked.indexOf('|')
  const end = marked.lastIndexOf('|') - 1
  return { text: marked.replaceAll('|', ''), start, end: Math.max(start, end) }
}
const marked = ({ text, start, end }: Edited): string =>
  `${text.slice(0, start)}|${text.slice(start, end)}${start === end ? '' : '|'}${text.slice(end)}`

describe('the keys of the editor', () => {
  it.each<[string, (before: Edited) => Edited, string, string]>([
    ['Tab moves to the next stop', indented, 'a|', 'a |'],
    ['Tab at a stop moves two', indented, 'ab|c', 'ab  |c'],
    ['Tab indents the selected lines', indented, 'x\n|a\n\nb|', 'x\n  |a\n\n  b|'],
    ['Shift Tab takes it back', outdented, 'x\n  |a\n\n  b|', 'x\n|a\n\nb|'],
    ['Shift Tab takes no more than there is', outdented, ' a|', 'a|'],
    ['Enter keeps the indentation', newLine, '  a: 1|', '  a: 1\n  |'],
    ['Enter goes deeper behind a colon', newLine, '  spec:|', '  spec:\n    |'],
    ['Enter replaces what is selected', newLine, 'a|bc|d', 'a\n|d'],
  ])('%s', (_, edit, before, after) => expect(marked(edit(edited(before)))).toBe(after))

  it('finds the offset of a line and column, and stays in the text', () => {
    expect(offsetOf('ab\ncd', 2, 2)).toBe(4)
    expect(offsetOf('ab\ncd', 1, 9)).toBe(2)
    expect(offsetOf('ab\ncd', 9, 9)).toBe(5)
  })
})

describe('piecesOf', () => {
  const kinds = (line: string) => piecesOf(line, []).flatMap(({ text, kind }) => (kind === 'plain' ? [] : [[kind, text]]))

  it.each([
    [
      '  name: "a # b" # why',
      [
        ['key', 'name'],
        ['string', '"a # b"'],
        ['comment', '# why'],
      ],
    ],
    [
      '- { name: n1, url: http://x:1/#a }',
      [
        ['key', 'name'],
        ['key', 'url'],
      ],
    ],
    [
      "key: 'it''s'",
      [
        ['key', 'key'],
        ['string', "'it''s'"],
      ],
    ],
    ['plain words', []],
  ])('sees the syntax of %s', (line, expected) => expect(kinds(line)).toEqual(expected))

  it('marks what is wrong, an error over a warning, also at the end of the line', () => {
    const marks = (line: string, col: number, width: number) =>
      piecesOf(line, [{ col, width, severity: 'error' }])
        .filter(({ mark }) => mark === 'error')
        .map(({ text }) => text)
        .join('')
    expect(marks('  prot: 22', 3, 4)).toBe('prot')
    expect(marks('ab', 9, 4)).toBe('b')
    const both = piecesOf('abc', [
      { col: 1, width: 3, severity: 'error' },
      { col: 2, width: 1, severity: 'warning' },
    ])
    expect(both.map(({ mark }) => mark)).toEqual(['error'])
  })

  it('loses no character of any line', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(40), fc.nat(40), (line, col, width) => {
        const pieces = piecesOf(line, [{ col: col + 1, width, severity: 'warning' }])
        expect(pieces.map(({ text }) => text).join('')).toBe(line)
      }),
    )
  })
})
