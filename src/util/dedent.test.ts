import { expect, it } from 'vitest'
import { dedent } from './dedent.ts'

it('takes the common indentation away, also around values of several lines', () => {
  expect(dedent`
    [Unit]
      Description=${'x'}

    ${'a\n  b'}
  `).toBe('[Unit]\n  Description=x\n\na\n  b\n')
})

it('keeps what a value says, whatever it is', () => {
  expect(dedent`${0} ${''}|`).toBe('0 |')
})
