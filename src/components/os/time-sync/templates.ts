/** How chrony is called and where it keeps its things, by family of distribution. */
export const chronyPlaces = {
  debian: { unit: 'chrony.service', config: '/etc/chrony/chrony.conf', drift: '/var/lib/chrony/chrony.drift' },
  rhel: { unit: 'chronyd.service', config: '/etc/chrony.conf', drift: '/var/lib/chrony/drift' },
} as const

/** What chrony does on one host. */
export interface TimeSources {
  /** Names or addresses, as they are asked. */
  readonly sources: readonly string[]
  /** Who may ask this host; null where it serves nobody. */
  readonly clients: readonly string[] | null
  readonly drift: string
}

/** The whole of chrony.conf. */
export const chronyConf = ({ sources, clients, drift }: TimeSources): string =>
  [
    ...sources.map((source) => `${/(^|\.)pool\./.test(source) ? 'pool' : 'server'} ${source} iburst`),
    `driftfile ${drift}`,
    // A clock that is far off is set at once in the first updates only: later a jump would harm etcd more than a slow correction.
    'makestep 1.0 3',
    'rtcsync',
    // Without any source of its own a server still keeps its clients together; of several, one is followed by the others.
    ...(clients === null ? [] : ['local stratum 10 orphan', ...clients.map((address) => `allow ${address}`)]),
    '',
  ].join('\n')
