import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandRange } from './range.ts'

describe('ranges of names', () => {
  it.each([
    ['node1', ['node1']],
    ['node[5:6]', ['node5', 'node6']],
    ['node[08:11]', ['node08', 'node09', 'node10', 'node11']],
    ['r[1:2]n[1:2]', ['r1n1', 'r1n2', 'r2n1', 'r2n2']],
    ['web[3:3]-a', ['web3-a']],
  ])('%s', (text, names) => expect(expandRange(text)).toEqual({ names }))

  it.each(['node[6:5]', 'node[1:99999999]', 'node[1-3]', 'node[1:', 'node]', 'node[a:b]', 'n[1:9999]x[1:9999]'])('refuses %s', (text) =>
    expect(expandRange(text)).toHaveProperty('wrong'),
  )

  it('gives last - first + 1 different names', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(200), (first, more) => {
        const expansion = expandRange(`n[${first}:${first + more}]`)
        return 'names' in expansion && new Set(expansion.names).size === more + 1
      }),
    )
  })
})
