import * as z from 'zod'
import { absolutePath, field, filledText, list, oneOrMore, overlay, version, words } from '../../../config/primitives.ts'
import { registryAuths } from '../../../config/schema/shared.ts'

/** What a user may say about iSulad; the names are those of its daemon.json. */
export const isuladConfig = {
  version: field(version().optional(), 'Version of iSulad; the same as containerRuntime.version.', '2.1.5'),
  endpoint: field(z.string().default('unix:///var/run/isulad.sock'), 'Socket the kubelet talks to.', 'unix:///var/run/isulad.sock'),
  'data-root': field(absolutePath().default('/var/lib/isulad'), 'Directory of images and containers.', '/data/isulad'),
  'storage-driver': field(filledText().default('overlay2'), 'Storage driver.', 'overlay2'),
  'storage-opts': field(z.array(filledText()).default(['overlay2.override_kernel_check=true']), 'Options of the storage driver.', [
    'overlay2.override_kernel_check=true',
  ]),
  'registry-mirrors': field(oneOrMore(filledText()).default([]), 'Mirrors of docker.io: one or a list.', ['mirror.example.com']),
  'insecure-registries': field(oneOrMore(filledText()).default([]), 'Registries to reach without verified TLS: one or a list.', [
    'registry.local:5000',
  ]),
  auths: registryAuths(),
  'cgroup-parent': field(z.string().default(''), 'Cgroup below which containers are placed.', '/isulad'),
  cgroupManager: field(
    z.enum(['systemd', 'cgroupfs']).optional(),
    'Who manages cgroups; by default decided by the facts of the host.',
    'systemd',
  ),
  'log-level': field(
    z.enum(['FATAL', 'ALERT', 'CRIT', 'ERROR', 'WARN', 'NOTICE', 'INFO', 'DEBUG', 'TRACE']).default('ERROR'),
    'How much iSulad logs.',
    'ERROR',
  ),
  'log-driver': field(filledText().default('file'), 'Log driver of the daemon.', 'file'),
  'log-opts': field(words(), 'Options of the log driver.', { 'log-file-mode': '0600' }),
  'network-plugin': field(filledText().default('cni'), 'How pods get a network.', 'cni'),
  'cni-conf-dir': field(absolutePath().default('/etc/cni/net.d'), 'Directory of CNI configuration.', '/etc/cni/net.d'),
  'cni-bin-dir': field(absolutePath().default('/opt/cni/bin'), 'Directory of CNI plugins.', '/opt/cni/bin'),
  'pid-file': field(absolutePath().default('/var/run/isulad.pid'), 'File with the process id of the daemon.', '/var/run/isulad.pid'),
  'hooks-dir': field(list(absolutePath()), 'Directories of OCI hooks.', ['/etc/isulad/hooks.d']),
  pause: field(
    filledText().optional(),
    'Image of the pause container; by default the one of the Kubernetes version.',
    'registry.k8s.io/pause:3.10',
  ),
  extraJsonConfig: field(overlay(), 'Merged last into daemon.json.', { 'image-layer-check': false }),
}
