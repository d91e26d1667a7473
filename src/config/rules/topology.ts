import { etcdFor } from '../catalogue/versions.ts'
import { type Cluster, hostsOf } from '../cluster.ts'
import type { Rule } from '../context.ts'

/** Each host is one machine with one name and address. */
const distinctHosts: Rule<Cluster> = ({ spec }, context) => {
  for (const field of ['name', 'address'] as const) {
    const seen = new Map<string, number>()
    for (const [index, host] of spec.hosts.entries()) {
      const first = seen.get(host[field])
      if (first === undefined) seen.set(host[field], index)
      else
        context.error(
          'KX_CONFIG_HOST_DUPLICATE',
          { field, seen: host[field], first: context.lineOf(['spec', 'hosts', first, field]) },
          ['spec', 'hosts', index, field],
          host[field],
        )
    }
  }
}

const distinctInternalAddresses: Rule<Cluster> = ({ spec }, context) => {
  const users = new Map<string, number[]>()
  for (const [index, host] of spec.hosts.entries()) {
    // An address that is only a default was already reported as the address itself.
    if (!context.isWritten(['spec', 'hosts', index, 'internalAddress'])) continue
    for (const address of new Set(host.internalAddress)) users.set(address, [...(users.get(address) ?? []), index])
  }
  for (const [address, [, second, ...more]] of users) {
    if (second === undefined) continue
    const names = (users.get(address) ?? []).map((index) => spec.hosts[index]?.name ?? '')
    const hosts = more.length > 4 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ')
    context.warn('KX_CONFIG_INTERNAL_ADDRESS', { hosts, seen: address }, ['spec', 'hosts', second, 'internalAddress'], address)
  }
}

const everyHostHasRole: Rule<Cluster> = (cluster, context) => {
  if (context.isWrong(['spec', 'roleGroups'])) return
  for (const [index, host] of hostsOf(cluster).entries()) {
    if (host.roles.length === 0) context.warn('KX_CONFIG_HOST_NO_ROLE', { host: host.name }, ['spec', 'hosts', index, 'name'], host.name)
  }
}

const controlPlane: Rule<Cluster> = ({ spec }, context) => {
  const { master } = spec.roleGroups
  if (master.length === 0 && !context.isWrong(['spec', 'roleGroups']) && !writtenRoles(context, 'master')) {
    context.error('KX_CONFIG_NO_MASTER', {}, ['spec', 'roleGroups', 'master'])
  }
}

/** A group whose names are all wrong has been reported name by name. */
const writtenRoles = (context: Parameters<Rule<Cluster>>[1], role: string): boolean => context.isWritten(['spec', 'roleGroups', role, 0])

const etcdPlace: Rule<Cluster> = ({ spec }, context) => {
  const { etcd, kubernetes, roleGroups } = spec
  const path = ['spec', 'roleGroups', 'etcd']
  if (etcd.type === 'kubeadm' && kubernetes.type !== 'kubeadm')
    context.error('KX_CONFIG_ETCD_KUBEADM', { type: kubernetes.type }, ['spec', 'etcd', 'type'], etcd.type)
  if (etcd.type === 'external' && roleGroups.etcd.length > 0) {
    context.error(
      'KX_CONFIG_ETCD_ROLE',
      { type: etcd.type, hosts: roleGroups.etcd.join(', '), how: 'remove spec.roleGroups.etcd, or write etcd.type: kubexm' },
      path,
    )
  }
  const strangers = etcd.type === 'kubeadm' ? roleGroups.etcd.filter((name) => !roleGroups.master.includes(name)) : []
  if (strangers.length > 0) {
    context.error(
      'KX_CONFIG_ETCD_ROLE',
      {
        type: etcd.type,
        hosts: strangers.join(', '),
        how: 'remove spec.roleGroups.etcd: the masters run etcd; or write etcd.type: kubexm',
      },
      path,
    )
  }
  const count = roleGroups.etcd.length
  if (etcd.type !== 'external' && count > 0 && count % 2 === 0)
    context.warn('KX_CONFIG_ETCD_EVEN', { count, fewer: count - 1, more: count + 1 }, path)
  if (etcd.type === 'kubexm' && count === 0 && roleGroups.master.length > 0 && !writtenRoles(context, 'etcd')) {
    context.error(
      'KX_CONFIG_ETCD_ROLE',
      {
        type: etcd.type,
        hosts: 'no host',
        how: 'list hosts under spec.roleGroups.etcd, or leave the group out: etcd then runs on the masters',
      },
      path,
    )
  }
}

const etcdExternal: Rule<Cluster> = ({ spec: { etcd } }, context) => {
  const path = ['spec', 'etcd', 'external']
  if (etcd.type !== 'external') {
    if (etcd.external !== undefined)
      context.warn('KX_CONFIG_UNUSED', { what: 'etcd.external', why: `etcd.type is ${etcd.type}`, how: 'write etcd.type: external' }, path)
    return
  }
  if (context.isWrong(path)) return
  const { endpoints = [], caFile, certFile, keyFile } = etcd.external ?? {}
  const wrong = (what: string, how: string) => context.error('KX_CONFIG_ETCD_EXTERNAL', { what, how }, path)
  if (endpoints.length === 0)
    wrong('no endpoints are given', 'list the client URLs under etcd.external.endpoints, for example https://192.168.6.6:2379')
  if (endpoints.some((endpoint) => endpoint.startsWith('https:')) && caFile === undefined)
    wrong('the endpoints use TLS and there is no caFile', 'add caFile, certFile and keyFile')
  if ((certFile === undefined) !== (keyFile === undefined))
    wrong('certFile and keyFile go together', `add ${certFile === undefined ? 'certFile' : 'keyFile'}`)
}

/** What kubeadm decides about the etcd it runs. */
const etcdOfKubeadm: Rule<Cluster> = ({ spec: { etcd, kubernetes } }, context) => {
  if (etcd.type !== 'kubeadm') return
  for (const [field, fixed] of [['clientPort', 2379] as const, ['peerPort', 2380] as const]) {
    const path = ['spec', 'etcd', field]
    if (etcd[field] !== fixed && !context.isWrong(path))
      context.error('KX_CONFIG_ETCD_PORT', { field, seen: etcd[field], fixed }, path, String(etcd[field]))
  }
  if (etcd.version === etcdFor(kubernetes.version)) return
  const why = 'kubeadm brings the etcd that goes with its version'
  context.warn('KX_CONFIG_UNUSED', { what: 'etcd.version', why, how: 'write etcd.type: kubexm' }, ['spec', 'etcd', 'version'], etcd.version)
}

const etcdTiming: Rule<Cluster> = ({ spec: { etcd } }, context) => {
  if (context.isWrong(['spec', 'etcd', 'electionTimeout']) || context.isWrong(['spec', 'etcd', 'heartbeatInterval'])) return
  if (etcd.electionTimeout >= 5 * etcd.heartbeatInterval) return
  context.error(
    'KX_CONFIG_ETCD_TIMING',
    { election: etcd.electionTimeout, heartbeat: etcd.heartbeatInterval, enough: 5 * etcd.heartbeatInterval },
    context.isWritten(['spec', 'etcd', 'electionTimeout']) ? ['spec', 'etcd', 'electionTimeout'] : ['spec', 'etcd', 'heartbeatInterval'],
  )
}

/** Rules about which machines there are and what runs on them. */
export const topologyRules: readonly Rule<Cluster>[] = [
  distinctHosts,
  distinctInternalAddresses,
  everyHostHasRole,
  controlPlane,
  etcdPlace,
  etcdExternal,
  etcdOfKubeadm,
  etcdTiming,
]
