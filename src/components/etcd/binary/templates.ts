import { type Cluster, type ClusterHost, etcdClientUrl, etcdPeerUrl, hostLayout, hostsOf } from '../../../config/index.ts'
import { etcdArguments } from '../../../manifest/index.ts'
import { type Arguments, confinement, execStart } from '../../../util/systemd.ts'

/** A certificate and its key. */
interface Pair {
  readonly cert: string
  readonly key: string
}

/** Where what was placed on a member lies. */
export interface MemberFiles {
  readonly authority: string
  readonly server: Pair
  readonly peer: Pair
  readonly admin: Pair
}

type Member = Pick<ClusterHost, 'name' | 'internalAddress'>

/** Whom etcd runs as. */
export const etcdUser = 'etcd'

/** How a cluster came to be: read by a member that has no data yet, and never again. */
export const bootstrapFile = `${hostLayout.etcd}/bootstrap.env`

/** The directories etcd writes to: a disk of its own for the log is the user's to add. */
export const dataDirectories = ({ spec: { etcd } }: Cluster): readonly string[] => [
  ...new Set([etcd.dataDir, etcd.extraArgs['wal-dir'] ?? etcd.dataDir]),
]

/** All arguments of a member. What only counts while the cluster is formed is not among them: it must not make members restart later. */
export const memberCommand = (cluster: Cluster, member: Member, files: MemberFiles): Arguments => ({
  name: member.name,
  'data-dir': cluster.spec.etcd.dataDir,
  'advertise-client-urls': etcdClientUrl(cluster, member),
  'listen-client-urls': `${etcdClientUrl(cluster, member)},https://127.0.0.1:${cluster.spec.etcd.clientPort}`,
  'listen-peer-urls': etcdPeerUrl(cluster, member),
  'cert-file': files.server.cert,
  'key-file': files.server.key,
  'client-cert-auth': 'true',
  'trusted-ca-file': files.authority,
  'peer-cert-file': files.peer.cert,
  'peer-key-file': files.peer.key,
  'peer-client-cert-auth': 'true',
  'peer-trusted-ca-file': files.authority,
  ...etcdArguments(cluster),
})

/**
 * How the cluster is formed. It stays as it was written: `new` holds for members of the first hour also when they come back, since
 * etcd asks its data first.
 */
export function bootstrapEnvironment(cluster: Cluster, member: Member): string {
  const { clusterToken, extraArgs } = cluster.spec.etcd
  const members = hostsOf(cluster).filter((host) => host.roles.includes('etcd'))
  const settings: Arguments = {
    'initial-advertise-peer-urls': etcdPeerUrl(cluster, member),
    'initial-cluster': members.map((host) => `${host.name}=${etcdPeerUrl(cluster, host)}`).join(','),
    'initial-cluster-state': 'new',
    'initial-cluster-token': clusterToken,
  }
  // etcd refuses what is said twice, in the environment and as an argument.
  const own = Object.entries(settings).filter(([name]) => extraArgs[name] === undefined)
  return environmentFile(
    'How this etcd cluster was formed. A member with data does not read it again.',
    own.map(([name, value]) => [`ETCD_${name.toUpperCase().replaceAll('-', '_')}`, value]),
  )
}

/** What etcdctl needs to know, for whoever is root on a member. */
export const etcdctlEnvironment = (endpoints: readonly string[], { authority, admin }: MemberFiles): string =>
  environmentFile(`For etcdctl: set -a; . ${hostLayout.etcd}/etcdctl.env; etcdctl member list`, [
    ['ETCDCTL_ENDPOINTS', endpoints.join(',')],
    ['ETCDCTL_CACERT', authority],
    ['ETCDCTL_CERT', admin.cert],
    ['ETCDCTL_KEY', admin.key],
  ])

/** Both systemd and a shell read these lines alike. */
const environmentFile = (comment: string, values: readonly (readonly [string, string])[]): string =>
  [`# ${comment}`, ...values.map(([name, value]) => `${name}="${value.replaceAll(/["\\$`]/g, '\\$&')}"`), ''].join('\n')

/**
 * etcd as a service. It is ready when a majority is: on a machine that boots before the others that may take any time, and so may
 * catching up with a large database.
 */
export const etcdUnit = (args: Arguments, directories: readonly string[]): string =>
  `${[
    '[Unit]',
    'Description=etcd, the store behind the Kubernetes API',
    'Documentation=https://etcd.io/docs/',
    'After=network-online.target',
    'Wants=network-online.target',
    // An empty directory under a mount that has not come yet would be taken for a new member.
    `RequiresMountsFor=${directories.join(' ')}`,
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=notify',
    `User=${etcdUser}`,
    `Group=${etcdUser}`,
    `EnvironmentFile=${bootstrapFile}`,
    `ExecStart=${execStart(`${hostLayout.programs}/etcd`, args)}`,
    'Restart=always',
    'RestartSec=2',
    'TimeoutStartSec=infinity',
    'LimitNOFILE=65536',
    'OOMScoreAdjust=-999',
    // Heartbeats wait for the disk: others may wait for etcd instead.
    'IOSchedulingClass=best-effort',
    'IOSchedulingPriority=0',
    'UMask=0077',
    'CapabilityBoundingSet=',
    ...confinement,
    'SystemCallFilter=@system-service',
    ...directories.map((path) => `ReadWritePaths=${path}`),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ].join('\n')}\n`
