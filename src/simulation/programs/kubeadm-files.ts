import { parseAllDocuments } from 'yaml'
import { Content } from '../content.ts'
import { listNames, readText, removePath, writeFile } from '../files.ts'
import { refuse } from '../refusal.ts'
import type { HostState } from '../state.ts'
import { entryAt } from '../tree.ts'

const pki = '/etc/kubernetes/pki'

/** What every control plane node shares. */
const sharedPairs = ['ca', 'front-proxy-ca', 'etcd/ca'] as const
const ownPairs = [
  'apiserver',
  'apiserver-kubelet-client',
  'apiserver-etcd-client',
  'front-proxy-client',
  'etcd/server',
  'etcd/peer',
  'etcd/healthcheck-client',
] as const

/** The files of a certificate and its key, or of the service account's key pair. */
const pair = (name: string): readonly string[] => [`${pki}/${name}.crt`, `${pki}/${name}.key`]
const sharedFiles = [...sharedPairs.flatMap(pair), `${pki}/sa.key`, `${pki}/sa.pub`]

/** Writes files that are not there yet. */
function addFiles(state: HostState, files: Readonly<Record<string, string>>, mode = '0600'): HostState {
  const missing = Object.entries(files).filter(([path]) => entryAt(state.root, path) === null)
  return missing.reduce((next, [path, text]) => writeFile(next, path, new Content(text), { mode }), state)
}

const contents = (paths: readonly string[], of: string): Readonly<Record<string, string>> =>
  Object.fromEntries(paths.map((path) => [path, `simulated ${path} of ${of}\n`]))

/** The certificates a control plane needs, those that are there kept. */
export const writePki = (state: HostState, withEtcd: boolean): HostState => {
  const names = [...sharedFiles, ...ownPairs.flatMap(pair)].filter((path) => withEtcd || !path.startsWith(`${pki}/etcd/`))
  return addFiles(state, contents(names, 'the cluster'))
}

/** Whether the certificates that all control plane nodes share are on this one. */
export const hasSharedPki = (state: HostState): boolean =>
  [...pair('ca'), `${pki}/sa.key`].every((path) => entryAt(state.root, path) !== null)

/** New certificates in place of the old ones, the authorities kept. */
export function renewPki(state: HostState, stamp: string): HostState {
  const present = ownPairs.flatMap(pair).filter((path) => entryAt(state.root, path) !== null)
  return present.reduce(
    (next, path) => writeFile(next, path, new Content(`simulated ${path}, renewed ${stamp}\n`), { mode: '0600' }),
    state,
  )
}

/** What makes a host a node: the kubelet's own files. */
export const writeKubelet = (state: HostState): HostState =>
  addFiles(state, {
    '/etc/kubernetes/kubelet.conf': `simulated kubeconfig of ${state.hostname}\n`,
    [`${pki}/ca.crt`]: `simulated ${pki}/ca.crt of the cluster\n`,
    '/var/lib/kubelet/config.yaml': 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n',
    '/var/lib/kubelet/kubeadm-flags.env': 'KUBELET_KUBEADM_ARGS=""\n',
  })

/** What makes it one of the control plane: kubeconfigs and static pods. */
export function writeControlPlane(state: HostState, withEtcd: boolean, version: string): HostState {
  const configs = contents(
    ['admin', 'super-admin', 'controller-manager', 'scheduler'].map((name) => `/etc/kubernetes/${name}.conf`),
    'the cluster',
  )
  const pods = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', ...(withEtcd ? ['etcd'] : [])]
  const manifests = Object.fromEntries(
    pods.map((name) => [`/etc/kubernetes/manifests/${name}.yaml`, `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n# ${version}\n`]),
  )
  const data = withEtcd ? { '/var/lib/etcd/member/snap/db': 'simulated etcd data\n' } : {}
  return addFiles(state, { ...configs, ...manifests, ...data })
}

/** What `kubeadm reset` deletes; empty directories stay, as they do on a real host. */
export function wipe(state: HostState): HostState {
  const files = ['admin', 'super-admin', 'controller-manager', 'scheduler', 'kubelet', 'bootstrap-kubelet'].map(
    (name) => `/etc/kubernetes/${name}.conf`,
  )
  const emptied = ['/etc/kubernetes/manifests', pki, '/var/lib/kubelet', '/var/lib/etcd'].flatMap((path) =>
    listNames(state, path).map((name) => `${path}/${name}`),
  )
  return [...files, ...emptied].reduce((next, path) => removePath(next, path, true), state)
}

/** A kubeadm configuration, its documents by kind. */
export function readConfig(state: HostState, path: string | undefined): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  if (path === undefined) return {}
  const text = readText(state, path)
  if (text === null) throw refuse(`unable to read config from "${path}": open ${path}: no such file or directory`)
  const documents = parseAllDocuments(text).flatMap((document) =>
    'toJS' in document ? [document.toJS() as Readonly<Record<string, unknown>> | null] : [],
  )
  return Object.fromEntries(documents.flatMap((document) => (document === null ? [] : [[String(document.kind), document]])))
}

/** A value deep in a configuration. */
export function valueAt(config: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined),
    config,
  )
}
