import { expect, test } from 'vitest'
import { parseChallenge } from './auth.ts'

test.each([
  ['Basic realm="kubexm"', { scheme: 'basic', parameters: { realm: 'kubexm' } }],
  [
    'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push"',
    {
      scheme: 'bearer',
      parameters: { realm: 'https://auth.docker.io/token', service: 'registry.docker.io', scope: 'repository:a/b:pull,push' },
    },
  ],
  ['bearer Realm=https://a/t, service=plain', { scheme: 'bearer', parameters: { realm: 'https://a/t', service: 'plain' } }],
  ['Basic realm="with \\"quotes\\""', { scheme: 'basic', parameters: { realm: 'with "quotes"' } }],
  ['Negotiate', null],
  ['', null],
])('%s', (header, expected) => {
  expect(parseChallenge(header)).toEqual(expected)
})
