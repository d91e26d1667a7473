import { expect, it } from 'vitest'
import { closest } from './suggest.ts'

it.each([
  ['prot', ['port', 'path'], 'port'],
  ['internalLoadBalancer', ['internalLoadbalancer', 'externalLoadBalancer'], 'internalLoadbalancer'],
  ['calcio', ['calico', 'cilium'], 'calico'],
  ['kube_pods_cidr', ['kubePodsCIDR'], 'kubePodsCIDR'],
  ['zzz', ['port'], null],
  ['a', ['b'], null],
  ['port', [], null],
])('%s of %j means %s', (word, candidates, expected) => expect(closest(word, candidates)).toBe(expected))
