import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../util/hash.ts'
import { edited, restored, type TextEdit } from './edit.ts'

const nothing = { block: null, off: [] }
const selinux: TextEdit = {
  off: (line) => line.startsWith('SELINUX='),
  add: (text) => (/^SELINUX=/m.test(text) ? 'SELINUX=permissive' : null),
}

describe('an edit of a text that belongs to others', () => {
  it('comments lines out and says its own between marks', () => {
    expect(edited('# mode\nSELINUX=enforcing\nSELINUXTYPE=targeted\n', selinux)).toBe(`# mode
# kubexm: SELINUX=enforcing
SELINUXTYPE=targeted
# BEGIN KubeXM Managed Block
SELINUX=permissive
# END KubeXM Managed Block
`)
  })

  it('is put back without touching what others wrote since', () => {
    const now = `# looked at by ops\n${edited('SELINUX=enforcing\nSELINUXTYPE=targeted\n', selinux).replace('targeted', 'mls')}# more\n`
    expect(restored(now, nothing)).toBe('# looked at by ops\nSELINUX=enforcing\nSELINUXTYPE=mls\n# more\n')
  })

  it('of a second run is put back to the first', () => {
    const first = edited('a\nb\n', { off: (line) => line === 'a', add: () => 'one' })
    const second = edited(first, { off: (line) => line === 'a' || line === 'b', add: () => 'two' })
    const before = { block: 'one', off: ['# kubexm: a'].map((line) => sha256(line)) }
    expect(restored(second, before)).toBe(first)
    expect(restored(second, nothing)).toBe('a\nb\n')
  })

  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '#', 'é') })
  const text = fc.array(line).map((lines) => lines.join('\n'))
  const edit = fc
    .record({ block: fc.option(text, { nil: null }), at: fc.constantFrom('start' as const, 'end' as const) })
    .map(({ block, at }): TextEdit => ({ off: (l) => l.includes('a'), add: () => block, at }))

  it('leaves no trace, is the same made twice, and the last of several edits counts', () => {
    fc.assert(
      fc.property(text, edit, edit, (original, one, two) => {
        const once = edited(original, one)
        expect(restored(once, nothing)).toBe(original)
        expect(edited(once, one)).toBe(once)
        expect(edited(once, two)).toBe(edited(original, two))
      }),
    )
  })

  it('never loses a line that others add', () => {
    fc.assert(
      fc.property(text, edit, line, (original, one, added) => {
        expect(restored(`${added}\n${edited(original, one)}`, nothing)).toBe(`${added}\n${original}`)
      }),
    )
  })
})
