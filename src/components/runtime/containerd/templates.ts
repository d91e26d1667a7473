import { stringify } from 'smol-toml'
import { dedent } from '../../../util/dedent.ts'

type Toml = { readonly [key: string]: Toml | readonly string[] | string | number | boolean }

/** What containerd's configuration is made from. */
export interface ContainerdSettings {
  readonly version: string
  readonly root: string
  readonly state: string
  readonly pause: string
  readonly systemdCgroup: boolean
  readonly hostsDirectory: string
  readonly disabledPlugins: readonly string[]
  readonly requiredPlugins: readonly string[]
  readonly imports: readonly string[]
  readonly auths: Readonly<Record<string, { readonly username: string; readonly password: string }>>
  /** The user's own, merged last. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** config.toml: version 3 for containerd 2, version 2 before; the plugins have other names and places there. */
export function containerdConfigToml(settings: ContainerdSettings): string {
  const runtimes = { runc: { runtime_type: 'io.containerd.runc.v2', options: { SystemdCgroup: settings.systemdCgroup } } }
  const registry = {
    config_path: settings.hostsDirectory,
    configs: Object.fromEntries(Object.entries(settings.auths).map(([name, auth]) => [name, { auth }])),
  }
  const isTwo = !settings.version.replace(/^v/, '').startsWith('1.')
  const cri: Toml = isTwo
    ? {
        'io.containerd.cri.v1.images': { pinned_images: { sandbox: settings.pause }, registry },
        'io.containerd.cri.v1.runtime': { containerd: { default_runtime_name: 'runc', runtimes } },
      }
    : { 'io.containerd.grpc.v1.cri': { sandbox_image: settings.pause, registry, containerd: { default_runtime_name: 'runc', runtimes } } }
  const config: Toml = {
    version: isTwo ? 3 : 2,
    root: settings.root,
    state: settings.state,
    disabled_plugins: settings.disabledPlugins,
    required_plugins: settings.requiredPlugins,
    imports: settings.imports,
    // Its own place is /opt/containerd, which it makes whether it is used or not.
    plugins: { ...cri, 'io.containerd.internal.v1.opt': { path: `${settings.root}/opt` } },
  }
  return `${stringify(merged(config, settings.extra as Toml))}\n`
}

/** Maps are merged, anything else is replaced. */
function merged(base: Toml, over: Toml): Toml {
  const isMap = (value: unknown): value is Toml => typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = Object.entries(over).map(
    ([key, value]) => [key, isMap(value) && isMap(base[key]) ? merged(base[key], value) : value] as const,
  )
  return { ...base, ...Object.fromEntries(entries) }
}

/** One registry as containerd reaches it. */
export interface RegistryHosts {
  readonly server: string
  readonly mirrors: readonly string[]
  readonly skipVerify: boolean
  readonly ca: string | null
  readonly client: readonly [certificate: string, key: string] | null
}

/** hosts.toml of one registry. */
export function hostsToml({ server, mirrors, skipVerify, ca, client }: RegistryHosts): string {
  const trust: Toml = {
    ...(skipVerify ? { skip_verify: true } : {}),
    ...(ca === null ? {} : { ca }),
    ...(client === null ? {} : { client }),
  } as Toml
  const host = Object.fromEntries([
    ...mirrors.map((mirror) => [mirror, { capabilities: ['pull', 'resolve'] }] as const),
    [server, { capabilities: ['pull', 'resolve'], ...trust }] as const,
  ])
  return `${stringify({ server, host })}\n`
}

/** The unit: containers outlive a restart of the daemon, so only the main process is killed. */
export const containerdUnit = (): string => dedent`
  [Unit]
  Description=containerd container runtime
  Documentation=https://containerd.io
  After=network.target local-fs.target dbus.service

  [Service]
  ExecStartPre=-/sbin/modprobe overlay
  ExecStart=/usr/local/bin/containerd --config /etc/containerd/config.toml
  Type=notify
  Delegate=yes
  KillMode=process
  Restart=always
  RestartSec=5
  LimitNPROC=infinity
  LimitCORE=infinity
  LimitNOFILE=infinity
  TasksMax=infinity
  OOMScoreAdjust=-999

  [Install]
  WantedBy=multi-user.target
`

/** crictl talks to this containerd without being told. */
export const crictlYaml = (endpoint: string): string => dedent`
  runtime-endpoint: ${endpoint}
  image-endpoint: ${endpoint}
  timeout: 10
`
