import { expect, test } from 'vitest'
import { parseUri } from './debian.ts'

const hash = 'a'.repeat(64)

test.each([
  [
    `'http://mirror.example/debian/pool/main/libc/libcap2/libcap2_2.66-4%2bdeb12u3_amd64.deb' libcap2_1%3a2.66-4+deb12u3_amd64.deb 27576 SHA256:${hash}`,
    [
      {
        name: 'libcap2',
        url: 'http://mirror.example/debian/pool/main/libc/libcap2/libcap2_2.66-4%2bdeb12u3_amd64.deb',
        fileName: 'libcap2_1%3a2.66-4+deb12u3_amd64.deb',
        size: 27576,
        sha256: hash,
      },
    ],
  ],
  ['Reading package lists...', []],
  [`'http://x/a.deb' a_1_amd64.deb 5 MD5Sum:abc`, []],
  ['', []],
])('%s', (line, expected) => {
  expect(parseUri(line)).toEqual(expected)
})
