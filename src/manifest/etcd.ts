import { minorOf } from '../config/catalogue/versions.ts'
import type { Cluster } from '../config/index.ts'
import type { Arguments } from '../util/systemd.ts'

/** What the minor versions of etcd call differently. */
interface EtcdTraits {
  /** Members compare their data before they serve: one that went astray stays out. */
  readonly corruptCheck: Arguments
  /** Often enough for the API server to answer lists from its watch cache. */
  readonly watchProgress: Arguments
  /** Only the newest snapshots are kept anyway where the flag is gone. */
  readonly hasMaxSnapshots: boolean
  /** The name a flag has now, by the one it had as an experiment. */
  readonly successor: (experiment: string, value: string) => Arguments
}

/** Switches that became feature gates when experiments got names of their own. */
const gates: Arguments = {
  'experimental-initial-corrupt-check': 'InitialCorruptCheck',
  'experimental-compact-hash-check-enabled': 'CompactHashCheck',
  'experimental-enable-lease-checkpoint': 'LeaseCheckpoint',
  'experimental-enable-lease-checkpoint-persist': 'LeaseCheckpointPersist',
  'experimental-txn-mode-write-with-shared-buffer': 'TxnModeWriteWithSharedBuffer',
  'experimental-stop-grpc-service-on-defrag': 'StopGRPCServiceOnDefrag',
}

/** Each row holds from its version 3.x on; what it does not name stays as it was. */
const table: readonly { readonly since: number; readonly traits: Partial<EtcdTraits> }[] = [
  {
    since: 0,
    traits: {
      corruptCheck: { 'experimental-initial-corrupt-check': 'true' },
      watchProgress: { 'experimental-watch-progress-notify-interval': '5s' },
      hasMaxSnapshots: true,
      successor: (experiment, value) => ({ [experiment]: value }),
    },
  },
  {
    // The old names are deprecated here and refused from 3.7 on.
    since: 6,
    traits: {
      corruptCheck: { 'feature-gates': 'InitialCorruptCheck=true' },
      watchProgress: { 'watch-progress-notify-interval': '5s' },
      successor: (experiment, value) => {
        const gate = gates[experiment]
        return gate === undefined ? { [experiment.replace(/^experimental-/, '')]: value } : { 'feature-gates': `${gate}=${value}` }
      },
    },
  },
  { since: 8, traits: { hasMaxSnapshots: false } },
]

function traitsOf(version: string): EtcdTraits {
  const minor = minorOf(version)
  return Object.assign({}, ...table.filter(({ since }) => since <= minor).map(({ traits }) => traits)) as EtcdTraits
}

/** How etcd is tuned, in the words of its version: the same whoever starts it. What the user adds comes last. */
export function etcdArguments({ spec: { etcd } }: Cluster, version = etcd.version): Arguments {
  const { corruptCheck, watchProgress, hasMaxSnapshots, successor } = traitsOf(version)
  const own: Arguments = {
    'heartbeat-interval': String(etcd.heartbeatInterval),
    'election-timeout': String(etcd.electionTimeout),
    'snapshot-count': String(etcd.snapshotCount),
    'auto-compaction-mode': 'periodic',
    'auto-compaction-retention': String(etcd.autoCompactionRetention),
    'quota-backend-bytes': String(etcd.quotaBackendBytes),
    'max-request-bytes': String(etcd.maxRequestBytes),
    ...(hasMaxSnapshots ? { 'max-snapshots': String(etcd.maxSnapshots) } : {}),
    'max-wals': String(etcd.maxWals),
    metrics: etcd.metrics,
    'log-level': etcd.logLevel,
    ...watchProgress,
    ...corruptCheck,
  }
  return Object.entries(etcd.extraArgs).reduce(
    (args, [name, value]) => laidOver(args, name.startsWith('experimental-') ? successor(name, value) : { [name]: value }),
    own,
  )
}

/** Arguments with others over them. Feature gates are a list: of a gate that is named twice the last one counts. */
function laidOver(args: Arguments, over: Arguments): Arguments {
  const [before, after] = [args['feature-gates'], over['feature-gates']]
  return { ...args, ...over, ...(before === undefined || after === undefined ? {} : { 'feature-gates': `${before},${after}` }) }
}
