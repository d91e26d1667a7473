/** What the managed block of one host's /etc/hosts says, as data; of others it reads spec.extra.hosts.domain and their addresses. */
export interface HostsBlock {
  readonly hosts: readonly { readonly name: string; readonly addresses: readonly string[] }[]
  readonly endpoint: { readonly domain: string; readonly address: string } | null
  readonly registry: { readonly domain: string; readonly address: string } | null
  readonly extra: readonly { readonly domain: string; readonly address: string }[]
  readonly dnsDomain: string
}

/** One line per address, hosts in the order of the config. */
export const hostsBlock = ({ hosts, endpoint, registry, extra, dnsDomain }: HostsBlock): string =>
  [
    ...hosts.flatMap(({ name, addresses }) => addresses.map((address) => `${address} ${name} ${name}.${dnsDomain}`)),
    ...[endpoint, registry, ...extra].flatMap((entry) => (entry === null ? [] : [`${entry.address} ${entry.domain}`])),
  ].join('\n')
