import * as z from 'zod'
import { corednsConfig } from '../../components/addon/coredns/config.ts'
import { nodelocaldnsConfig } from '../../components/addon/nodelocaldns/config.ts'
import { etcdBackup, etcdTuning } from '../../components/etcd/binary/config.ts'
import { externalEtcdConfig } from '../../components/etcd/external/config.ts'
import { harborConfig } from '../../components/registry/harbor/config.ts'
import { registryConfig } from '../../components/registry/registry/config.ts'
import { absolutePath, field, filledText, group, list, oneOrMore, optionalGroup, text, version, whole } from '../primitives.ts'
import { chartSource, hooks, registryAuths, sources, yamlSource } from './shared.ts'

/** The store behind the API servers. */
export const etcd = {
  type: field(
    z.enum(['kubexm', 'kubeadm', 'external']).default('kubexm'),
    'Who runs etcd: kubexm, as binaries; kubeadm, as pods on the masters; or you (external).',
    'kubexm',
  ),
  version: field(version().optional(), 'Version of etcd; by default one that fits the Kubernetes version.', 'v3.5.16'),
  external: optionalGroup(externalEtcdConfig, 'Your own etcd; only with type external.'),
  ...etcdTuning,
  backup: group(etcdBackup, 'Scheduled backups.'),
}

/** Names inside the cluster. */
export const dns = {
  dnsEtcHosts: field(z.string().default(''), 'Lines of a hosts file that CoreDNS answers from.', '192.168.0.100 api.example.com\n'),
  nodeEtcHosts: field(
    z.string().default(''),
    'Lines of a hosts file that the cache on each node answers from.',
    '192.168.0.100 api.example.com\n',
  ),
  coredns: group(corednsConfig, 'Settings of CoreDNS.'),
  nodelocaldns: group(nodelocaldnsConfig, 'The DNS cache on each node.'),
  sources,
}

const rewriteRule = z.strictObject({
  registry: field(filledText(), 'Registry the rule is for.', 'docker.io'),
  oldNamespace: field(filledText(), 'Namespace to replace.', 'library'),
  newNamespace: field(filledText(), 'Namespace to put in its place.', 'base'),
})

/** The private image registry: installed by kubexm or already there. */
export const registry = {
  type: field(
    z.enum(['', 'registry', 'harbor', 'external', 'none']).default(''),
    'Registry to install on the registry host, your own (external), or none. Empty: registry if a host has the registry role, else external if privateRegistry names one, else none.',
    'harbor',
  ),
  privateRegistry: field(
    text(/^$|^[\w.-]+(:\d+)?$/, 'the name of a registry, with a port if it is not 443', 'dockerhub.kubexm.local').default(''),
    'Domain of the private registry images are taken from.',
    'dockerhub.kubexm.local',
  ),
  namespaceOverride: field(z.string().default(''), 'Project in the private registry that holds all images.', 'kubexm'),
  namespaceRewrite: optionalGroup(
    {
      enabled: field(z.boolean().default(true), 'Apply the rules.', true),
      rules: field(list(rewriteRule), 'Rules, the first that fits is taken.', [
        { registry: 'docker.io', oldNamespace: 'library', newNamespace: 'base' },
      ]),
    },
    'Map image namespaces to others.',
  ),
  registryMirrors: field(oneOrMore(filledText()).default([]), 'Mirrors of docker.io for every runtime: one or a list.', [
    'https://mirror.example.com',
  ]),
  insecureRegistries: field(oneOrMore(filledText()).default([]), 'Registries every runtime reaches without verified TLS: one or a list.', [
    'registry.local:5000',
  ]),
  auths: registryAuths(),
  containerdDataDir: field(
    absolutePath().default('/var/lib/containerd'),
    'Directory of images and snapshots of containerd, unless containerRuntime.containerd.root says otherwise.',
    '/var/lib/containerd',
  ),
  dockerDataDir: field(
    absolutePath().default('/var/lib/docker'),
    'Directory of images and containers of Docker, unless containerRuntime.docker.dataRoot says otherwise.',
    '/var/lib/docker',
  ),
  registryDataDir: field(absolutePath().default('/mnt/registry'), 'Directory of the images on the registry host.', '/mnt/registry'),
  deleteDataOnClean: field(z.boolean().default(false), 'Remove the images when the cluster is deleted with --purge-data.', false),
  registryConfig: group(registryConfig, 'Settings of the plain registry.'),
  harborConfig: group(harborConfig, 'Settings of Harbor.'),
}

/** Addons kubexm can install by name alone. */
export const builtinAddons = [
  'metallb',
  'longhorn',
  'openebs',
  'nfs-client',
  'rook-ceph',
  'metrics-server',
  'ingress-nginx',
  'node-feature-discovery',
  'multus',
] as const

const addonObject = z.strictObject({
  name: field(filledText(), 'Name of the addon, and of the Helm release.', 'ingress-nginx'),
  type: field(z.enum(['builtin', 'helm', 'yaml']).optional(), 'Where it comes from; follows from chart or yaml.', 'helm'),
  enabled: field(z.boolean().default(true), 'Install it.', true),
  namespace: field(filledText().optional(), 'Namespace to install into; the name of the addon for charts.', 'ingress-nginx'),
  chart: chartSource.optional().meta({ description: 'Helm chart.' }),
  yaml: yamlSource.optional().meta({ description: 'Manifests.' }),
  retries: field(whole(0, 100).default(3), 'How often to try again.', 3),
  delay: field(whole(0, 3600).default(5), 'Seconds between two tries.', 5),
  timeoutSeconds: field(whole(1, 86_400).default(300), 'Seconds until it must be ready.', 300),
  preInstall: hooks(),
  postInstall: hooks(),
})

/** Something installed into the cluster once it is up; a plain text names a built-in one. */
export const addons = field(
  list(z.union([z.string(), addonObject])),
  'Things to install into the finished cluster: names of built-in addons, Helm charts, manifests.',
  [
    'metallb',
    { name: 'ingress-nginx', type: 'helm', chart: { repo: 'https://kubernetes.github.io/ingress-nginx', name: 'ingress-nginx' } },
  ],
)
