import { isIP } from 'node:net'
import type { ParsedCluster } from './schema/cluster.ts'
import type { SecretSource } from './secret.ts'

/** What a host does in a cluster. */
export type Role = 'etcd' | 'master' | 'worker' | 'registry' | 'loadbalancer' | 'storage'
export const roles = ['etcd', 'master', 'worker', 'registry', 'loadbalancer', 'storage'] as const satisfies readonly Role[]

type DeepReadonly<T> = T extends SecretSource
  ? T
  : T extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T

type Parsed = ParsedCluster['spec']
type ParsedHost = Parsed['hosts'][number]
type ParsedAddon = Exclude<Parsed['addons'][number], string>

/** An addon, whichever way it was written. */
export type Addon = DeepReadonly<Omit<ParsedAddon, 'type' | 'namespace'> & { type: 'builtin' | 'helm' | 'yaml'; namespace: string }>

/** A spec in canonical spelling: ranges expanded, every default filled in. */
export type ClusterSpec = DeepReadonly<
  Omit<Parsed, 'hosts' | 'roleGroups' | 'kubernetes' | 'etcd' | 'registry' | 'addons'> & {
    hosts: (Omit<ParsedHost, 'internalAddress'> & { internalAddress: string[] })[]
    roleGroups: Record<Role, string[]>
    kubernetes: Omit<Parsed['kubernetes'], 'dnsDomain' | 'nodeCidrMaskSizeIPv6' | 'containerRuntime'> & {
      dnsDomain: string
      nodeCidrMaskSizeIPv6: number
      containerRuntime: Omit<Parsed['kubernetes']['containerRuntime'], 'version'> & { version: string }
    }
    etcd: Omit<Parsed['etcd'], 'version' | 'electionTimeout'> & { version: string; electionTimeout: number }
    registry: Omit<Parsed['registry'], 'type'> & { type: 'registry' | 'harbor' | 'external' | 'none' }
  }
> & { readonly addons: readonly Addon[] }

/** A cluster as the user wants it: valid, normalised, frozen. */
export interface Cluster {
  readonly apiVersion: 'kubexm.mensylisir.io/v1alpha1'
  readonly kind: 'Cluster'
  readonly metadata: { readonly name: string }
  readonly spec: ClusterSpec
}

/** How to get to a jump host. */
export type Bastion = NonNullable<ClusterSpec['global']['bastion']>

/** A machine with everything that holds for it: its own settings, those of `global`, its roles. */
export interface ClusterHost {
  readonly name: string
  /** Where SSH connects to. */
  readonly address: string
  /** The address the cluster uses; the first of `internalAddresses`. */
  readonly internalAddress: string
  readonly internalAddresses: readonly string[]
  readonly port: number
  readonly user: string
  readonly password: SecretSource | null
  readonly privateKey: SecretSource | null
  readonly privateKeyPath: string | null
  readonly privateKeyPassphrase: SecretSource | null
  readonly sudoPassword: SecretSource | null
  readonly bastion: Bastion | null
  readonly hostKey: string | null
  readonly type: 'ssh' | 'local'
  /** Null: detected. */
  readonly arch: 'amd64' | 'arm64' | null
  /** Seconds to wait for the connection. */
  readonly timeout: number
  readonly roles: readonly Role[]
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly taints: ClusterSpec['hosts'][number]['taints']
}

/** The hosts of each role, in the order of the config. */
export const rolesOf = (cluster: Cluster): Readonly<Record<Role, readonly string[]>> => cluster.spec.roleGroups

const known = new WeakMap<Cluster, readonly ClusterHost[]>()

/** Every host with its roles and its effective settings, in the order of the config; every step of every host may ask. */
export function hostsOf(cluster: Cluster): readonly ClusterHost[] {
  const hosts = known.get(cluster) ?? effectiveHosts(cluster)
  known.set(cluster, hosts)
  return hosts
}

function effectiveHosts({ spec: { hosts, roleGroups, global } }: Cluster): readonly ClusterHost[] {
  const held = new Map<string, Role[]>()
  for (const role of roles) for (const name of roleGroups[role]) held.set(name, [...(held.get(name) ?? []), role])
  return hosts.map((host) => {
    // A host with a key or password of its own must not be offered the others' as well: sshd counts every try.
    const own = host.password !== undefined || host.privateKey !== undefined || host.privateKeyPath !== undefined
    const login = own ? host : { ...global, ...definedIn(host) }
    const password = login.password ?? null
    return {
      name: host.name,
      address: host.address,
      internalAddress: host.internalAddress[0] ?? host.address,
      internalAddresses: host.internalAddress.length === 0 ? [host.address] : host.internalAddress,
      port: host.port ?? global.port,
      user: host.user ?? global.user,
      password,
      privateKey: login.privateKey ?? null,
      privateKeyPath: login.privateKeyPath ?? null,
      privateKeyPassphrase: login.privateKeyPassphrase ?? null,
      sudoPassword: host.sudoPassword ?? global.sudoPassword ?? password,
      bastion: host.bastion ?? global.bastion ?? null,
      hostKey: host.hostKey ?? null,
      type: host.type,
      arch: host.arch ?? null,
      timeout: host.timeout ?? global.connectionTimeout,
      roles: held.get(host.name) ?? [],
      labels: host.labels,
      annotations: host.annotations,
      taints: host.taints,
    }
  })
}

const definedIn = ({ password, privateKey, privateKeyPath, privateKeyPassphrase }: ClusterSpec['hosts'][number]) =>
  Object.fromEntries(
    Object.entries({ password, privateKey, privateKeyPath, privateKeyPassphrase }).filter(([, value]) => value !== undefined),
  ) as Partial<Pick<ClusterHost, 'privateKeyPath'> & Record<'password' | 'privateKey' | 'privateKeyPassphrase', SecretSource>>

/** The address families a range or a list of addresses speaks. */
export const familyOf = (address: string): 4 | 6 | null => {
  const family = isIP(address.split('/')[0] ?? '')
  return family === 4 || family === 6 ? family : null
}
