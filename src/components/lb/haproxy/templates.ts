/** What haproxy does on one host. */
export interface HaproxySettings {
  /** Where it listens, as haproxy writes it: `127.0.0.1:6443`, `*:6443`, `:::6443 v4v6`. */
  readonly bind: string
  readonly servers: readonly { readonly name: string; readonly address: string }[]
  readonly balance: string
  /** The page on loopback that says whether it lives or, where a virtual address hangs on it, whether it reaches an API server. */
  readonly health: { readonly port: number; readonly of: 'itself' | 'api-servers' }
  /** Where it runs: by itself in a container, or as a service that starts as root and logs to the journal. */
  readonly runs: 'in-pod' | 'as-service'
  readonly extra: Readonly<Record<'global' | 'defaults' | 'frontend' | 'backend', readonly string[]>>
}

const home = {
  'in-pod': ['log stdout format raw local0 notice'],
  'as-service': ['log /dev/log local0 notice', 'user haproxy', 'group haproxy'],
} as const

/** The whole of haproxy.cfg. Connections pass through as they are: TLS is between the client and the API server. */
export function haproxyCfg({ bind, servers, balance, health, runs, extra }: HaproxySettings): string {
  return [
    // Without a limit haproxy reserves memory for every file it may open, which in a container can be a billion.
    section('global', [...home[runs], 'maxconn 8192'], extra.global),
    section(
      'defaults',
      [
        'log global',
        'mode tcp',
        'option dontlognull',
        // A master that went away without a word costs a connection one try, not the client's patience.
        'option redispatch 1',
        'retries 2',
        'timeout connect 2s',
        'timeout check 2s',
        // Watches are quiet for long; clients of Kubernetes ping each other in half a minute.
        'timeout client 1h',
        'timeout server 1h',
      ],
      extra.defaults,
    ),
    section('frontend kube-apiserver', [`bind ${bind}`, 'default_backend kube-apiserver'], extra.frontend),
    section(
      'backend kube-apiserver',
      [
        `balance ${balance}`,
        'option httpchk GET /readyz',
        // Where anonymous requests are refused the refusal itself proves that the server answers.
        'http-check expect rstatus ^(200|401|403)$',
        // A server that failed once is asked again at once: a master that died is left alone after seven seconds at the latest.
        'default-server inter 2s fastinter 1s fall 2 rise 2 on-marked-down shutdown-sessions',
        ...servers.map(({ name, address }) => `server ${name} ${address} check check-ssl verify none`),
      ],
      extra.backend,
    ),
    section(
      'frontend health',
      [
        `bind 127.0.0.1:${health.port}`,
        'mode http',
        'timeout client 5s',
        'monitor-uri /healthz',
        ...(health.of === 'api-servers' ? ['monitor fail if { nbsrv(kube-apiserver) lt 1 }'] : []),
      ],
      [],
    ),
  ].join('\n')
}

/** A section with the user's lines after ours; a setting the user names is not ours any more, since some may be given only once. */
function section(name: string, own: readonly string[], extra: readonly string[]): string {
  const named = new Set(extra.map(settingOf).filter((setting) => setting !== 'bind' && setting !== 'server'))
  const lines = [...own.filter((line) => !named.has(settingOf(line))), ...extra]
  return [name, ...lines.map((line) => `    ${line}`), ''].join('\n')
}

/** `timeout client` and `option redispatch` are settings of their own, whatever else begins with the same word. */
const settingOf = (line: string): string => {
  const words = line.trim().split(/\s+/)
  return words.slice(0, /^(timeout|option|http-check|monitor)$/.test(words[0] ?? '') ? 2 : 1).join(' ')
}
