import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockIn, withBlock } from './block.ts'

const marks = { begin: '# begin', end: '# end' }
const text = fc
  .array(fc.constantFrom('a', '', '127.0.0.1 localhost', '# comment', 'x y'), { maxLength: 5 })
  .map((lines) => lines.join('\n'))

describe('a block', () => {
  it.each([
    ['', 'x', '# begin\nx\n# end\n'],
    ['a\n', 'x\ny\n', 'a\n# begin\nx\ny\n# end\n'],
    ['a', 'x', 'a\n# begin\nx\n# end'],
    ['a\n# begin\nold\n# end\nb\n', 'new', 'a\n# begin\nnew\n# end\nb\n'],
    ['a\n# begin\nold\n# end\nb\n', null, 'a\nb\n'],
    ['a\n', '', 'a\n# begin\n# end\n'],
    ['a\n# begin\nno end\n', 'x', 'a\n# begin\nno end\n# begin\nx\n# end\n'],
  ])('%j with %j is %j', (content, block, expected) => expect(withBlock(content, marks, block)).toBe(expected))

  it('is read as it was set, and taking it out gives the same bytes as before', () => {
    fc.assert(
      fc.property(text, text, (content, block) => {
        const changed = withBlock(content, marks, block)
        expect(blockIn(changed, marks)).toBe(block.replace(/\n$/, ''))
        expect(withBlock(changed, marks, block)).toBe(changed)
        expect(withBlock(changed, marks, null)).toBe(content)
      }),
    )
  })

  it('that is not there is null, and taking it out changes nothing', () => {
    expect(blockIn('a\n# begin\nb\n', marks)).toBeNull()
    expect(withBlock('a\n# begin\nb\n', marks, null)).toBe('a\n# begin\nb\n')
  })
})
