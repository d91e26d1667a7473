import { dedent } from '../../../util/dedent.ts'

/** What nginx does on one host. */
export interface NginxSettings {
  /** Where it listens, as nginx writes it: `127.0.0.1:6443`, `[::]:6443 ipv6only=off`. */
  readonly listen: string
  readonly servers: readonly string[]
  readonly balance: 'round_robin' | 'least_conn' | 'hash'
  /** The page on loopback that says whether it lives or, where a virtual address hangs on it, whether it reaches an API server. */
  readonly health: { readonly port: number; readonly of: 'itself' | 'api-servers' }
  /** Where it runs: by itself in a container, or as a service of this family of distributions. */
  readonly runs: 'in-pod' | 'debian' | 'rhel'
  readonly extra: Readonly<Record<'http' | 'stream' | 'server', readonly string[]>>
}

/** Connections of one process at a time: each passed through takes two. */
const connections = 8192

/** The stream module is a file of its own in distributions: each has another place for what loads it. An image that has it built in has none. */
const surroundings = {
  'in-pod': {
    modules: '/usr/share/nginx/modules-available/*.conf',
    user: 'nginx',
    processes: '1',
    pid: '/tmp/nginx.pid',
    log: 'stderr notice',
  },
  debian: {
    // As the package of the module brings it, not as it is enabled: the first start of nginx, by its own package, may come before that.
    // A pattern, since one that matches nothing is no error: the module may be built in.
    modules: '/usr/share/nginx/modules-available/mod-stream.con[f]',
    user: 'www-data',
    processes: 'auto',
    pid: '/run/nginx.pid',
    log: 'syslog:server=unix:/dev/log,nohostname notice',
  },
  rhel: {
    modules: '/usr/share/nginx/modules/*.conf',
    user: 'nginx',
    processes: 'auto',
    pid: '/run/nginx.pid',
    log: 'syslog:server=unix:/dev/log,nohostname notice',
  },
} as const

/** The whole of nginx.conf. Connections pass through as they are: TLS is between the client and the API server. */
export function nginxConf({ listen, servers, balance, health, runs, extra }: NginxSettings): string {
  const { modules, user, processes, pid, log } = surroundings[runs]
  const method = { round_robin: [], least_conn: ['least_conn;'], hash: ['hash $remote_addr consistent;'] }[balance]
  const upstream = (...fails: readonly string[]): readonly string[] =>
    block('upstream kube_apiserver', [...method, ...servers.map((server) => `server ${[server, ...fails].join(' ')};`)])
  const stream = [
    // nginx finds out by the connections of clients that a master is gone: quickly, and asks it again soon.
    ...upstream('max_fails=1', 'fail_timeout=5s'),
    ...withExtra(['proxy_connect_timeout 2s;', 'proxy_timeout 1h;'], extra.stream),
    ...block('server', withExtra([`listen ${listen};`, 'proxy_pass kube_apiserver;'], extra.server)),
  ]
  const page = block('location = /healthz', health.of === 'itself' ? ['return 200 "ok\\n";'] : askApiServers)
  const http = [
    ...(health.of === 'itself' ? [] : upstream('max_fails=0')),
    ...block('server', [`listen 127.0.0.1:${health.port};`, ...page]),
    ...withExtra(['access_log off;'], extra.http),
  ]
  return [
    `include ${modules};`,
    `user ${user};`,
    `worker_processes ${processes};`,
    `worker_rlimit_nofile ${connections * 2};`,
    `pid ${pid};`,
    `error_log ${log};`,
    ...block('events', [`worker_connections ${connections};`]),
    ...block('stream', stream),
    ...block('http', http),
    '',
  ].join('\n')
}

/** What a load balancer without checks of its own can say about what is behind it: whether one of them is ready, asked now. */
const askApiServers: readonly string[] = [
  'proxy_pass https://kube_apiserver/readyz;',
  'proxy_connect_timeout 1s;',
  'proxy_read_timeout 2s;',
  'proxy_next_upstream error timeout http_500 http_502 http_503 http_504;',
  'proxy_next_upstream_timeout 3s;',
]

const block = (name: string, lines: readonly string[]): readonly string[] => [`${name} {`, ...lines.map((line) => `    ${line}`), '}']

/** The user's lines after ours; a setting the user names is not ours any more, since nginx takes few of them twice. */
function withExtra(own: readonly string[], extra: readonly string[]): readonly string[] {
  const settingOf = (line: string): string => line.trim().split(/\s+/)[0] ?? ''
  const named = new Set(extra.map(settingOf).filter((setting) => setting !== 'listen'))
  return [...own.filter((line) => !named.has(settingOf(line))), ...extra]
}

/** Lets the distribution's unit run with another configuration file. */
export const nginxDropIn = (config: string): string => dedent`
  [Service]
  ExecStartPre=
  ExecStartPre=/usr/sbin/nginx -t -q -c ${config}
  ExecStart=
  ExecStart=/usr/sbin/nginx -c ${config}
  ExecReload=
  ExecReload=/usr/sbin/nginx -c ${config} -s reload
`
