import * as z from 'zod'
import { absolutePath, field, filledText, list, oneOrMore, overlay, version } from '../../../config/primitives.ts'
import { registryAuths } from '../../../config/schema/shared.ts'

const runtime = z.strictObject({
  runtime_path: field(absolutePath(), 'Binary of the runtime.', '/usr/bin/crun'),
  runtime_type: field(z.enum(['oci', 'vm', 'pod']).default('oci'), 'Kind of runtime.', 'oci'),
  runtime_root: field(absolutePath().optional(), 'State directory of the runtime.', '/run/crun'),
})

const registries = z.strictObject({
  prefix: field(filledText(), 'Images this entry is for.', 'docker.io'),
  location: field(filledText().optional(), 'Where they are fetched from instead.', 'mirror.example.com'),
  insecure: field(z.boolean().default(false), 'Allow plain HTTP and unverified TLS.', false),
  blocked: field(z.boolean().default(false), 'Refuse to pull from it.', false),
})

/** What a user may say about CRI-O. */
export const crioConfig = {
  version: field(version().optional(), 'Version of CRI-O; the same as containerRuntime.version.', '1.32.4'),
  endpoint: field(z.string().default('unix:///var/run/crio/crio.sock'), 'Socket the kubelet talks to.', 'unix:///var/run/crio/crio.sock'),
  conmon: field(absolutePath().optional(), 'Path of conmon; searched for by default.', '/usr/bin/conmon'),
  cgroupManager: field(
    z.enum(['systemd', 'cgroupfs']).optional(),
    'Who manages cgroups; by default decided by the facts of the host.',
    'systemd',
  ),
  storageDriver: field(filledText().default('overlay'), 'Storage driver.', 'overlay'),
  storageOption: field(list(filledText()), 'Options of the storage driver.', ['overlay.mountopt=nodev']),
  logLevel: field(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'), 'How much CRI-O logs.', 'info'),
  logFilter: field(z.string().default(''), 'Regular expression of messages to log.', 'error'),
  manageNetwork: field(z.boolean().default(true), 'Let CRI-O set up pod networks through CNI.', true),
  networkDir: field(absolutePath().default('/etc/cni/net.d'), 'Directory of CNI configuration.', '/etc/cni/net.d'),
  pluginDirs: field(z.array(absolutePath()).default(['/opt/cni/bin']), 'Directories of CNI plugins.', ['/opt/cni/bin']),
  runtimes: field(z.record(z.string(), runtime).default({}), 'Further runtimes by name.', { crun: { runtime_path: '/usr/bin/crun' } }),
  registryMirrors: field(oneOrMore(filledText()).default([]), 'Mirrors of docker.io: one or a list.', ['mirror.example.com']),
  insecureRegistries: field(oneOrMore(filledText()).default([]), 'Registries to reach without verified TLS: one or a list.', [
    'registry.local:5000',
  ]),
  registry: field(
    z
      .strictObject({
        unqualifiedSearchRegistries: field(z.array(filledText()).default(['docker.io']), 'Registries tried for an image without one.', [
          'docker.io',
        ]),
        registries: field(list(registries), 'Rules for single registries.', [{ prefix: 'docker.io', location: 'mirror.example.com' }]),
      })
      .optional(),
    'Where images come from.',
    { unqualifiedSearchRegistries: ['docker.io'] },
  ),
  auths: registryAuths(),
  root: field(absolutePath().default('/var/lib/containers/storage'), 'Directory of images and containers.', '/data/containers'),
  runroot: field(absolutePath().default('/var/run/containers/storage'), 'Directory of running state.', '/var/run/containers/storage'),
  pause: field(
    filledText().optional(),
    'Image of the pause container; by default the one of the Kubernetes version.',
    'registry.k8s.io/pause:3.10',
  ),
  extraTomlConfig: field(overlay(), 'Merged last into crio.conf, as a map.', { crio: { runtime: { pids_limit: 4096 } } }),
}
