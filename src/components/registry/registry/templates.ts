import { createHmac } from 'node:crypto'
import { encodeBase64, hashSync } from 'bcryptjs'
import { dedent } from '../../../util/dedent.ts'
import { toYaml } from '../../../util/yaml.ts'

/** What the registry program is told. */
export interface RegistrySettings {
  readonly port: number
  readonly dataDirectory: string
  readonly certificate: string
  readonly key: string
  readonly users: string
}

/** The configuration of the registry: TLS for everybody, and nobody without a password. */
export const registryConfigYml = ({ port, dataDirectory, certificate, key, users }: RegistrySettings): string =>
  toYaml({
    version: '0.1',
    log: { level: 'info', accesslog: { disabled: true } },
    storage: {
      filesystem: { rootdirectory: dataDirectory },
      // Images nobody needs any more can be taken out.
      delete: { enabled: true },
    },
    http: { addr: `:${port}`, tls: { certificate, key, minimumtls: 'tls1.2' } },
    auth: { htpasswd: { realm: 'kubexm', path: users } },
  })

/**
 * Rounds as a power of two. The registry checks the password again at every request, of which one image takes dozens: more rounds would
 * slow every pull, and guard only against one who can read this file of root.
 */
const cost = '06'

/** The file with the one user. The salt follows from the password: the same password gives the same file, and another one another salt. */
export function htpasswd(username: string, password: string): string {
  const digest = createHmac('sha256', password).update(`kubexm registry ${username}`).digest().subarray(0, 16)
  const salt = encodeBase64([...digest], 16)
  const hash = hashes.get(salt) ?? hashSync(password, `$2b$${cost}$${salt}`)
  hashes.set(salt, hash)
  return `${username}:${hash}\n`
}

/** By salt, which no two passwords share. The hash is slow to make by design, and wanted whenever a host is looked at. */
const hashes = new Map<string, string>()

/** The unit. It runs as root, since images that stay must still be its own when it comes back, but may do nothing a user could not. */
export const registryUnit = (program: string, config: string, dataDirectory: string): string => dedent`
  [Unit]
  Description=Image registry
  Documentation=https://distribution.github.io/distribution
  After=network-online.target
  Wants=network-online.target
  RequiresMountsFor=${dataDirectory}

  [Service]
  ExecStart=${program} serve ${config}
  Restart=always
  RestartSec=2
  LimitNOFILE=65536
  Environment=OTEL_TRACES_EXPORTER=none
  CapabilityBoundingSet=CAP_NET_BIND_SERVICE
  NoNewPrivileges=yes
  PrivateTmp=yes
  ProtectSystem=full
  ProtectHome=${/^\/(home|root)\//.test(dataDirectory) ? 'no' : 'yes'}
  ReadWritePaths=${dataDirectory}
  ProtectKernelTunables=yes
  ProtectKernelModules=yes
  ProtectControlGroups=yes
  RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
  RestrictNamespaces=yes
  LockPersonality=yes

  [Install]
  WantedBy=multi-user.target
`
