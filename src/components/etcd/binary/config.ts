import * as z from 'zod'
import { absolutePath, extraArgs, field, filledText, optionalGroup, port, secret, url, whole } from '../../../config/primitives.ts'

/** How etcd runs and is tuned, be it installed by kubexm or by kubeadm. */
export const etcdTuning = {
  dataDir: field(absolutePath().default('/var/lib/etcd'), 'Directory of the data; a fast disk of its own is best.', '/var/lib/etcd'),
  clientPort: field(port().default(2379), 'Port for clients.', 2379),
  peerPort: field(port().default(2380), 'Port for other members.', 2380),
  clusterToken: field(filledText().default('kubexm-etcd'), 'Name that keeps members of different clusters apart.', 'kubexm-etcd'),
  heartbeatInterval: field(whole(10, 10_000).default(100), 'Milliseconds between heartbeats of the leader.', 100),
  electionTimeout: field(
    whole(50, 50_000).optional(),
    'Milliseconds without a heartbeat until a new leader is elected: at least five heartbeats, ten by default. Until then the API takes no changes.',
    1000,
  ),
  snapshotCount: field(whole(1).default(10_000), 'Committed transactions between snapshots to disk.', 10_000),
  autoCompactionRetention: field(whole(0, 10_000).default(8), 'Hours of history to keep; 0 keeps all.', 8),
  metrics: field(z.enum(['basic', 'extensive']).default('basic'), 'Detail of exported metrics; extensive adds histograms.', 'basic'),
  quotaBackendBytes: field(
    whole(0).default(2_147_483_648),
    'Size at which the database refuses writes; etcd advises against more than 8 GiB.',
    2_147_483_648,
  ),
  maxRequestBytes: field(whole(1024).default(1_572_864), 'Largest request a client may send.', 1_572_864),
  maxSnapshots: field(whole(0).default(5), 'Snapshot files to keep; 0 keeps all.', 5),
  maxWals: field(whole(0).default(5), 'Write-ahead log files to keep; 0 keeps all.', 5),
  logLevel: field(z.enum(['debug', 'info', 'warn', 'error', 'panic', 'fatal']).default('info'), 'How much etcd logs.', 'info'),
  extraArgs: field(extraArgs(), 'Further arguments of etcd, merged last: a map, or a list of --name=value.', {
    'experimental-initial-corrupt-check': 'true',
  }),
}

/** Scheduled backups of etcd. */
export const etcdBackup = {
  enabled: field(z.boolean().default(true), 'Whether a timer on the etcd hosts takes backups.', true),
  dir: field(absolutePath().default('/var/backups/kube_etcd'), 'Directory on the host for snapshots.', '/var/backups/kube_etcd'),
  periodHours: field(whole(1, 8760).default(24), 'Hours between two backups.', 24),
  keepNumber: field(whole(1, 10_000).default(6), 'Backups to keep; older ones are removed.', 6),
  scriptPath: field(
    absolutePath().default('/usr/local/bin/kube-scripts'),
    'Directory of the backup program on the host.',
    '/usr/local/bin/kube-scripts',
  ),
  encryptionKey: field(secret().optional(), 'Passphrase backups are encrypted with; without it they are not encrypted.', {
    file: './backup.key',
  }),
  s3: optionalGroup(
    {
      endpoint: field(url(), 'URL of the object store.', 'https://s3.example.com'),
      bucket: field(filledText(), 'Bucket to write to.', 'backups'),
      prefix: field(z.string().default(''), 'Put before the name of each backup.', 'prod/'),
      region: field(filledText().default('us-east-1'), 'Region of the bucket.', 'us-east-1'),
      accessKey: field(secret(), 'Access key.', { env: 'S3_ACCESS_KEY' }),
      secretKey: field(secret(), 'Secret key.', { env: 'S3_SECRET_KEY' }),
    },
    'Copy backups to an S3 bucket.',
  ),
  nfs: optionalGroup(
    { server: field(filledText(), 'NFS server.', '192.168.0.20'), path: field(absolutePath(), 'Exported directory.', '/exports/backups') },
    'Copy backups to an NFS export.',
  ),
}
