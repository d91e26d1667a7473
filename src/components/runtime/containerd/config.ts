import * as z from 'zod'
import {
  absolutePath,
  field,
  filledText,
  list,
  oneOrMore,
  optionalGroup,
  overlay,
  secret,
  url,
  version,
} from '../../../config/primitives.ts'

const registry = z.strictObject({
  mirrors: field(
    z
      .record(
        z.string(),
        z.strictObject({
          endpoints: field(list(url()), 'Mirrors to ask before the registry itself, in order.', ['https://mirror.example.com']),
        }),
      )
      .default({}),
    'Mirrors by registry name.',
    { 'docker.io': { endpoints: ['https://mirror.example.com'] } },
  ),
  configs: field(
    z
      .record(
        z.string(),
        z.strictObject({
          auth: optionalGroup(
            {
              username: field(filledText().optional(), 'User name at the registry.', 'robot'),
              password: field(secret().optional(), 'Password at the registry.', { env: 'REGISTRY_PASSWORD' }),
              auth: field(secret().optional(), 'User and password, base64, in place of the two.', { env: 'REGISTRY_AUTH' }),
              identityToken: field(secret().optional(), 'Token to exchange for an access token.', { env: 'REGISTRY_TOKEN' }),
            },
            'How to log in.',
          ),
          tls: optionalGroup(
            {
              insecureSkipVerify: field(z.boolean().default(false), 'Accept any certificate of the registry.', false),
              caFile: field(
                absolutePath().optional(),
                'CA certificate that signed the registry, on the hosts.',
                '/etc/ssl/registry-ca.crt',
              ),
              certFile: field(absolutePath().optional(), 'Client certificate, on the hosts.', '/etc/ssl/client.crt'),
              keyFile: field(absolutePath().optional(), 'Key of the client certificate, on the hosts.', '/etc/ssl/client.key'),
            },
            'How to trust the registry.',
          ),
        }),
      )
      .default({}),
    'Login and trust by registry name.',
    { 'registry.example.com': { auth: { username: 'robot', password: { env: 'REGISTRY_PASSWORD' } } } },
  ),
})

/** What a user may say about containerd. */
export const containerdConfig = {
  version: field(version().optional(), 'Version of containerd; the same as containerRuntime.version.', '1.7.6'),
  existing: field(
    z.enum(['refuse', 'adopt']).default('refuse'),
    'What to do with a containerd that is on a host already: refuse the host, or use it as it is and change nothing of it.',
    'adopt',
  ),
  nerdctl: field(z.boolean().default(false), 'Also install nerdctl, a command line like that of Docker.', true),
  endpoint: field(
    z.string().default('unix:///run/containerd/containerd.sock'),
    'Socket the kubelet talks to.',
    'unix:///run/containerd/containerd.sock',
  ),
  registryMirrors: field(oneOrMore(filledText()).default([]), 'Mirrors of docker.io: one or a list.', ['https://mirror.example.com']),
  insecureRegistries: field(oneOrMore(filledText()).default([]), 'Registries to reach without verified TLS: one or a list.', [
    'registry.local:5000',
  ]),
  registry: field(registry.optional(), 'Mirrors, login and trust for single registries.', { mirrors: {} }),
  useSystemdCgroup: field(z.boolean().optional(), 'Let systemd manage cgroups; by default decided by the facts of the host.', true),
  root: field(absolutePath().default('/var/lib/containerd'), 'Directory of images and snapshots.', '/data/containerd'),
  state: field(absolutePath().default('/run/containerd'), 'Directory of sockets and running state.', '/run/containerd'),
  configPath: field(absolutePath().default('/etc/containerd/certs.d'), 'Directory of per-registry settings.', '/etc/containerd/certs.d'),
  disabledPlugins: field(list(filledText()), 'Plugins not to load.', ['io.containerd.internal.v1.opt']),
  requiredPlugins: field(list(filledText()), 'Plugins without which containerd must not start.', ['io.containerd.grpc.v1.cri']),
  imports: field(list(absolutePath()), 'Further configuration files to read.', ['/etc/containerd/conf.d/*.toml']),
  pause: field(
    filledText().optional(),
    'Image of the pause container; by default the one of the Kubernetes version.',
    'registry.k8s.io/pause:3.10',
  ),
  extraTomlConfig: field(overlay(), 'Merged last into config.toml, as a map.', { plugins: {} }),
}
