import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { toYaml } from './yaml.ts'

it('writes documents that read back as they were', () => {
  const shared = { a: 1 }
  const documents = [
    { one: shared, two: shared },
    { text: 'x '.repeat(200), lines: 'a\nb\n', no: 'no', version: '1.10' },
  ]
  const text = toYaml(...documents)
  expect(parseAllDocuments(text).map((document) => document.toJS())).toEqual(documents)
  expect(text).not.toMatch(/[&*]a\d/)
})

it('keeps the order of keys and lines whole', () => {
  expect(toYaml({ b: 'x'.repeat(100), a: [1] })).toBe(`b: ${'x'.repeat(100)}\na:\n  - 1\n`)
})
