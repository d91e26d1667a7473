import { stringify } from 'smol-toml'
import { dedent } from '../../../util/dedent.ts'
import { overlaid } from '../../../util/overlay.ts'

type Toml = { readonly [key: string]: Toml | readonly string[] | string | number | boolean }

/** A login as containerd takes it: a user with a password, both in one, or a token. */
export interface RegistryAuth {
  readonly username?: string
  readonly password?: string
  readonly auth?: string
  readonly identitytoken?: string
}

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
  readonly auths: Readonly<Record<string, RegistryAuth>>
  /** The user's own, merged last. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** config.toml: version 3 for containerd 2, version 2 before; the plugins have other names and places there. */
export function containerdConfigToml(settings: ContainerdSettings): string {
  const runtimes = { runc: { runtime_type: 'io.containerd.runc.v2', options: { SystemdCgroup: settings.systemdCgroup } } }
  const registry = {
    config_path: settings.hostsDirectory,
    configs: Object.fromEntries(Object.entries(settings.auths).map(([name, auth]) => [name, { auth: { ...auth } }])),
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
  return `${stringify(overlaid(config, settings.extra))}\n`
}

/** How a registry is trusted, and who one is to it. */
export interface RegistryTrust {
  readonly skipVerify: boolean
  /** Files on the host. */
  readonly ca: readonly string[]
  readonly client: readonly (readonly [certificate: string, key: string])[]
}

/** One registry as containerd reaches it: through others first, in their order, then itself. */
export interface RegistryHosts {
  readonly server: string
  readonly hosts: readonly { readonly url: string; readonly trust: RegistryTrust }[]
}

/** hosts.toml of one registry. */
export function hostsToml({ server, hosts }: RegistryHosts): string {
  const host = Object.fromEntries(hosts.map(({ url, trust }) => [url, { capabilities: ['pull', 'resolve'], ...trusting(trust) }] as const))
  return `${stringify({ server, host })}\n`
}

const trusting = ({ skipVerify, ca, client }: RegistryTrust) => ({
  ...(skipVerify ? { skip_verify: true } : {}),
  ...(ca.length === 0 ? {} : { ca: ca.length === 1 ? ca[0] : ca }),
  ...(client.length === 0 ? {} : { client }),
})

/** Where a registry's API is: Docker Hub's is not at the name its images carry. */
export const serverOf = (registry: string, plainHttp: boolean): string =>
  registry === 'docker.io' ? 'https://registry-1.docker.io' : `${plainHttp ? 'http' : 'https'}://${registry}`

/** A mirror may be written without its scheme. */
export const withScheme = (mirror: string): string => (/^https?:\/\//.test(mirror) ? mirror : `https://${mirror}`)

/** The registries images of a cluster come from: one that kubexm fills stands in for all of them. */
export const publicRegistries = ['docker.io', 'gcr.io', 'ghcr.io', 'quay.io', 'registry.k8s.io'] as const

/** The cgroup driver containerd tells of, or null where it does not tell. */
export function cgroupDriverIn(crictlInfo: string): 'systemd' | 'cgroupfs' | null {
  type Info = { config?: { containerd?: { runtimes?: { runc?: { options?: { SystemdCgroup?: boolean } | null } } } } }
  const runc = (JSON.parse(crictlInfo) as Info).config?.containerd?.runtimes?.runc
  if (runc === undefined) return null
  return runc.options?.SystemdCgroup === true ? 'systemd' : 'cgroupfs'
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
