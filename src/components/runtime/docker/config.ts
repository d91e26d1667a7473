import * as z from 'zod'
import { absolutePath, cidr, field, filledText, list, oneOrMore, overlay, version, whole, words } from '../../../config/primitives.ts'
import { registryAuths } from '../../../config/schema/shared.ts'

/** What a user may say about Docker and cri-dockerd. */
export const dockerConfig = {
  version: field(version().optional(), 'Version of Docker; the same as containerRuntime.version.', '28.5.1'),
  endpoint: field(z.string().default('unix:///run/cri-dockerd.sock'), 'Socket the kubelet talks to.', 'unix:///run/cri-dockerd.sock'),
  registryMirrors: field(oneOrMore(filledText()).default([]), 'Mirrors of docker.io: one or a list.', ['https://mirror.example.com']),
  insecureRegistries: field(oneOrMore(filledText()).default([]), 'Registries to reach without verified TLS: one or a list.', [
    'registry.local:5000',
  ]),
  auths: registryAuths(),
  dataRoot: field(absolutePath().default('/var/lib/docker'), 'Directory of images and containers.', '/data/docker'),
  execOpts: field(list(filledText()), 'Execution options; the cgroup driver is set by kubexm.', ['native.cgroupdriver=systemd']),
  cgroupDriver: field(z.enum(['systemd', 'cgroupfs']).optional(), 'Cgroup driver; by default decided by the facts of the host.', 'systemd'),
  logDriver: field(filledText().default('json-file'), 'Log driver of containers.', 'json-file'),
  logOpts: field(words(), 'Options of the log driver.', { 'max-size': '50m', 'max-file': '5' }),
  bip: field(cidr().optional(), 'Address and mask of the default bridge.', '172.17.0.1/16'),
  bridge: field(filledText().optional(), 'Bridge to attach containers to; "none" for no bridge.', 'none'),
  fixedCIDR: field(cidr().optional(), 'Addresses for containers on the default bridge.', '172.17.0.0/24'),
  defaultAddressPools: field(
    list(
      z.strictObject({
        base: field(cidr(), 'Range to cut networks from.', '172.30.0.0/16'),
        size: field(whole(8, 128), 'Prefix of each network.', 24),
      }),
    ),
    'Address pools for networks Docker makes.',
    [{ base: '172.30.0.0/16', size: 24 }],
  ),
  experimental: field(z.boolean().default(false), 'Switch on experimental features.', false),
  ipTables: field(z.boolean().default(true), 'Let Docker write iptables rules.', true),
  ipMasq: field(z.boolean().default(true), 'Let Docker masquerade traffic of containers.', true),
  storageDriver: field(filledText().default('overlay2'), 'Storage driver.', 'overlay2'),
  storageOpts: field(list(filledText()), 'Options of the storage driver.', ['overlay2.size=20G']),
  defaultRuntime: field(filledText().default('runc'), 'Runtime for containers that name none.', 'runc'),
  runtimes: field(
    z
      .record(
        z.string(),
        z.strictObject({
          path: field(absolutePath(), 'Binary of the runtime.', '/usr/bin/kata-runtime'),
          runtimeArgs: field(list(z.string()), 'Its arguments.', ['--debug']),
        }),
      )
      .default({}),
    'Further runtimes by name.',
    {
      kata: { path: '/usr/bin/kata-runtime' },
    },
  ),
  maxConcurrentDownloads: field(whole(1, 100).default(3), 'Layers to pull at once.', 10),
  maxConcurrentUploads: field(whole(1, 100).default(5), 'Layers to push at once.', 5),
  liveRestore: field(z.boolean().default(true), 'Keep containers running while the daemon restarts.', true),
  installCRIDockerd: field(z.boolean().default(true), 'Install cri-dockerd, without which the kubelet cannot use Docker.', true),
  criDockerdVersion: field(version().default('0.3.20'), 'Version of cri-dockerd.', '0.3.20'),
  pause: field(
    filledText().optional(),
    'Image of the pause container; by default the one of the Kubernetes version.',
    'registry.k8s.io/pause:3.10',
  ),
  extraJsonConfig: field(overlay(), 'Merged last into daemon.json.', { debug: true }),
}
