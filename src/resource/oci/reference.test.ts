import { expect, test } from 'vitest'
import { formatReference, parseReference } from './reference.ts'

const digest = `sha256:${'a'.repeat(64)}`

test.each([
  ['nginx', 'docker.io/library/nginx:latest'],
  ['nginx:1.28', 'docker.io/library/nginx:1.28'],
  ['calico/node:v3', 'docker.io/calico/node:v3'],
  ['registry.k8s.io/coredns/coredns:v1.12.1', 'registry.k8s.io/coredns/coredns:v1.12.1'],
  ['10.0.0.1:5000/pause:3.10', '10.0.0.1:5000/pause:3.10'],
  ['localhost/app', 'localhost/app:latest'],
  [`quay.io/a/b@${digest}`, `quay.io/a/b:latest@${digest}`],
  [`host:5000/a/b:t@${digest}`, `host:5000/a/b:t@${digest}`],
])('%s is %s', (text, full) => {
  expect(formatReference(parseReference(text))).toBe(full)
  expect(parseReference(full)).toEqual(parseReference(text))
})

test.each(['', 'UPPER/case', 'a b', 'host/', 'a:', 'a@sha256:short', 'a//b', 'a:b c'])('"%s" is not an image', (text) => {
  expect(() => parseReference(text)).toThrow(expect.objectContaining({ code: 'KX_IMAGE_NAME' }))
})
