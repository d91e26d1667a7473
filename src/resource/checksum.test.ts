import { expect, test } from 'vitest'
import { parseChecksumFile } from './checksum.ts'

const a = 'a'.repeat(64)
const b = 'b'.repeat(64)

test.each([
  { scenario: 'a bare hash', text: a, expected: a },
  { scenario: 'a bare hash with a line end', text: `${a}\n`, expected: a },
  { scenario: 'upper case', text: a.toUpperCase(), expected: a },
  { scenario: 'a line of sha256sum', text: `${a}  file.tgz\n`, expected: a },
  { scenario: 'binary mode', text: `${a} *file.tgz\n`, expected: a },
  { scenario: 'a path before the name', text: `${a}  ./release/file.tgz\n`, expected: a },
  { scenario: 'one of many', text: `${b}  other.tgz\n${a}  file.tgz\r\n${b}  file.tgz.asc\n`, expected: a },
  { scenario: 'only others', text: `${b}  other.tgz\n`, expected: null },
  { scenario: 'an error page', text: '<html>not found</html>', expected: null },
  { scenario: 'nothing', text: '', expected: null },
  { scenario: 'several bare hashes: whose?', text: `${a}\n${b}\n`, expected: null },
])('$scenario', ({ text, expected }) => {
  expect(parseChecksumFile(text, 'file.tgz')).toBe(expected)
})
