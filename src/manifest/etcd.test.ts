import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { smallCluster } from '../../test/support/clusters.ts'
import { etcdArguments } from './etcd.ts'

/** What `etcd --help` of each version names. */
const known = JSON.parse(readFileSync(new URL('golden/etcd-flags.json', import.meta.url), 'utf8')) as Readonly<Record<string, string>>

const argumentsOf = (version: string, extraArgs = '') =>
  etcdArguments(smallCluster(`etcd: {version: ${version}${extraArgs === '' ? '' : `, extraArgs: {${extraArgs}}`}}`).cluster)

const experiments = known['3.5']?.split(' ').filter((name) => name.startsWith('experimental-') && name !== 'experimental-enable-v2v3') ?? []

describe.each(['3.5', '3.6', '3.7'])('etcd %s', (minor) => {
  const names = known[minor]?.split(' ') ?? []

  it('knows every argument it is given', () => {
    expect(Object.keys(argumentsOf(`v${minor}.0`)).filter((name) => !names.includes(name))).toEqual([])
  })

  it('knows what every experiment of 3.5 has become', () => {
    expect(experiments.length).toBeGreaterThan(15)
    const extra = experiments.map((name) => `${name}: "true"`).join(', ')
    expect(Object.keys(argumentsOf(`v${minor}.0`, extra)).filter((name) => !names.includes(name))).toEqual([])
  })
})

describe('the arguments of etcd', () => {
  it('follow the config', () => {
    const tuned = smallCluster(`etcd:
  version: v3.6.5
  heartbeatInterval: 100
  electionTimeout: 1500
  snapshotCount: 5000
  autoCompactionRetention: 1
  metrics: extensive
  quotaBackendBytes: 8589934592
  maxRequestBytes: 2000000
  maxSnapshots: 3
  maxWals: 4
  logLevel: warn`)
    expect(etcdArguments(tuned.cluster)).toEqual({
      'heartbeat-interval': '100',
      'election-timeout': '1500',
      'snapshot-count': '5000',
      'auto-compaction-mode': 'periodic',
      'auto-compaction-retention': '1',
      metrics: 'extensive',
      'quota-backend-bytes': '8589934592',
      'max-request-bytes': '2000000',
      'max-snapshots': '3',
      'max-wals': '4',
      'log-level': 'warn',
      'watch-progress-notify-interval': '5s',
      'feature-gates': 'InitialCorruptCheck=true',
    })
  })

  it('are those of the version that runs, where it is not that of the config', () => {
    expect(etcdArguments(smallCluster('etcd: {version: v3.6.5}').cluster, '3.5.24-0')).toHaveProperty('experimental-initial-corrupt-check')
  })

  it('drop what is gone', () => {
    expect(argumentsOf('v3.7.0')).toHaveProperty('max-snapshots')
    expect(argumentsOf('v3.8.0')).not.toHaveProperty('max-snapshots')
  })

  it('take what the user adds last; feature gates are added up', () => {
    expect(
      argumentsOf('v3.6.5', 'log-level: debug, feature-gates: "CompactHashCheck=true", experimental-initial-corrupt-check: "false"'),
    ).toMatchObject({
      'log-level': 'debug',
      'feature-gates': 'InitialCorruptCheck=true,CompactHashCheck=true,InitialCorruptCheck=false',
    })
    expect(argumentsOf('v3.5.16', 'experimental-corrupt-check-time: 1h')).toMatchObject({ 'experimental-corrupt-check-time': '1h' })
    expect(argumentsOf('v3.6.5', 'experimental-corrupt-check-time: 1h')).toMatchObject({ 'corrupt-check-time': '1h' })
  })
})
