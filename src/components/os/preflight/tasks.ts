import { par, seq } from '../../../plan/index.ts'
import { defineTask } from '../../../task/index.ts'
import {
  artifactSource,
  betweenHosts,
  etcdDisk,
  hasOwnEndpoint,
  isOne,
  keptFields,
  look,
  mirrorsOf,
  nameServers,
  ownEndpoint,
  quickChecks,
  registries,
  supported,
  vipCarriers,
  virtualAddress,
} from './steps.ts'

/** One task, so that whatever is wrong on any host is reported before any of it stops the run. */
export const preflight = defineTask({
  name: 'preflight',
  description: 'Check that the hosts are fit for the cluster',
  plan: (t) => {
    const { spec } = t.cluster
    const nodes = t.hosts().filter((host) => isOne(host, 'node'))
    const hasSources = mirrorsOf(spec).length > 0 || spec.registry.type === 'external'
    const fetches = spec.global.artifactMirror !== '' && !spec.global.offlineMode
    return seq(
      t.on(t.hosts(), look),
      par(
        t.local(supported, keptFields),
        t.on(t.hosts(), ...quickChecks),
        t.on(t.hosts(), nameServers),
        t.on(spec.etcd.type === 'external' ? [] : t.hosts('etcd'), etcdDisk),
        t.on(t.hosts().length > 1 ? t.hosts() : [], betweenHosts),
        t.on(vipCarriers(spec, t.hosts()), virtualAddress),
        t.on(hasOwnEndpoint(spec) ? nodes : [], ownEndpoint),
        t.on(hasSources ? nodes : [], registries),
        fetches ? t.local(artifactSource) : t.on([]),
      ),
    )
  },
})

/** What is checked also where preflight is left out. */
export const keptProperties = defineTask({
  name: 'kept-properties',
  description: 'Check that what the cluster keeps for life is as the cluster has it',
  plan: (t) => seq(t.on(t.hosts(), look), t.local(keptFields)),
})
