import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseCluster } from './parse.ts'

const directory = new URL('../../examples/', import.meta.url)
const files = readdirSync(directory).filter((file) => file.endsWith('.yaml'))

it('covers the ways to build a cluster', () => {
  const specs = files.map((file) => parseCluster(readFileSync(new URL(file, directory), 'utf8'), file).cluster?.spec)
  const seen = (pick: (spec: NonNullable<(typeof specs)[number]>) => string) =>
    new Set(specs.map((spec) => (spec === undefined ? 'invalid' : pick(spec))))
  expect(files.length).toBeGreaterThanOrEqual(12)
  expect(seen(({ kubernetes }) => kubernetes.type)).toEqual(new Set(['kubexm', 'kubeadm']))
  expect(seen(({ etcd }) => etcd.type)).toEqual(new Set(['kubexm', 'kubeadm', 'external']))
  expect(seen(({ controlPlaneEndpoint }) => controlPlaneEndpoint.externalLoadBalancer)).toEqual(
    new Set(['', 'kubexm-kh', 'kubexm-kn', 'external']),
  )
  expect(seen(({ controlPlaneEndpoint }) => controlPlaneEndpoint.internalLoadbalancer)).toEqual(
    new Set(['', 'haproxy', 'nginx', 'kube-vip']),
  )
  expect(seen(({ registry }) => registry.type)).toEqual(new Set(['none', 'registry', 'harbor']))
})

it.each(files)('%s is valid, and its warnings are meant', (file) => {
  const { errors, warnings } = parseCluster(readFileSync(new URL(file, directory), 'utf8'), file)
  expect(errors).toEqual([])
  // Only the large one, which keeps the spellings of the specification, has any.
  expect(warnings.map(({ code }) => code).filter(() => file !== 'full.yaml')).toEqual([])
})
