import { stringify } from 'yaml'
import { Content } from '../content.ts'
import { listNames, makeDirectory, removePath, writeFile } from '../files.ts'
import { refuse } from '../refusal.ts'
import { sampleCertificate } from '../sample-certificate.ts'
import type { HostState } from '../state.ts'
import { entryAt } from '../tree.ts'
import { type Documents, minorOf, valueAt } from './kubeadm-config.ts'

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
export function addFiles(state: HostState, files: Readonly<Record<string, string>>, mode = '0600'): HostState {
  const missing = Object.entries(files).filter(([path]) => entryAt(state.root, path) === null)
  return missing.reduce((next, [path, text]) => writeFile(next, path, new Content(text), { mode }), state)
}

const contents = (paths: readonly string[], of: string): Readonly<Record<string, string>> =>
  Object.fromEntries(paths.map((path) => [path, `simulated ${path} of ${of}\n`]))

const certificates = (withEtcd: boolean): readonly string[] =>
  [...sharedFiles, ...ownPairs.flatMap(pair)].filter((path) => withEtcd || !/\/etcd\/|-etcd-/.test(path))

/** The certificates a control plane needs, those that are there kept. */
export const writePki = (state: HostState, withEtcd: boolean): HostState => addFiles(state, contents(certificates(withEtcd), 'the cluster'))

/** The first certificate or key without which the pods of a control plane do not come up; null where all are there. */
export const missingCertificate = (state: HostState, withEtcd: boolean): string | null =>
  certificates(withEtcd).find((path) => !/\/etcd\/ca\.key$/.test(path) && entryAt(state.root, path) === null) ?? null

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

/** A kubeconfig that says whose it is and where the API is. */
export const kubeconfig = (of: string, server: string): string =>
  `apiVersion: v1\nkind: Config\nclusters:\n- cluster:\n    server: ${server}\n  name: kubernetes\nusers:\n- name: ${of}\n  user:\n    client-certificate-data: ${client}\n# simulated, of ${of}\n`

const client = Buffer.from(sampleCertificate).toString('base64')

/** Where the API is, for whom. */
interface ApiUrls {
  readonly endpoint: string
  /** The API server of this host itself. */
  readonly own: string
  /** For the kubelet of the first master, whose kubeconfig kubeadm makes too; others bootstrap theirs. */
  readonly kubelet: string | null
}

/** The kubeconfigs of a control plane: they are signed by the authority, which must be there. */
export function writeKubeconfigs(state: HostState, { endpoint, own, kubelet }: ApiUrls): HostState {
  const missing = pair('ca').find((path) => entryAt(state.root, path) === null)
  if (missing !== undefined)
    throw refuse(`error execution phase kubeconfig: couldn't create a kubeconfig; the CA files couldn't be loaded: ${missing}`)
  const urls: Readonly<Record<string, string>> = {
    admin: endpoint,
    ...(kubelet === null ? {} : { 'super-admin': endpoint, kubelet }),
    'controller-manager': own,
    scheduler: own,
  }
  const files = Object.entries(urls).map(([name, url]) => [`/etc/kubernetes/${name}.conf`, kubeconfig(name, url)])
  return addFiles(state, Object.fromEntries(files))
}

/** A manifest of a static pod: written whole each time, as kubeadm does. */
export const writePod = (state: HostState, name: string, version: string): HostState =>
  writeFile(
    state,
    `/etc/kubernetes/manifests/${name}.yaml`,
    new Content(`apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n# ${version}\n`),
    { mode: '0600' },
  )

/** The directory of a stacked etcd, as its first start needs it. */
export const makeEtcdDirectory = (state: HostState, path: string): HostState =>
  entryAt(state.root, path) === null ? makeDirectory(state, path, { mode: '0700' }) : state

/** What makes a host a node: the kubelet's own files, written anew each time. */
export function writeKubeletFiles(state: HostState, config: Documents, role: 'Init' | 'Join', version: string): HostState {
  const registration = valueAt(config[`${role}Configuration`], 'nodeRegistration')
  const name = String(valueAt(registration, 'name') ?? state.hostname)
  const flags = name === state.hostname ? '' : `--hostname-override=${name}`
  const kubelet = config.KubeletConfiguration ?? { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' }
  const socket = { containerRuntimeEndpoint: String(valueAt(registration, 'criSocket') ?? 'unix:///run/containerd/containerd.sock') }
  const files: Readonly<Record<string, string>> = {
    'config.yaml': stringify(kubelet),
    'kubeadm-flags.env': `KUBELET_KUBEADM_ARGS="${flags}"\n`,
    ...(minorOf(version) >= 34 ? { 'instance-config.yaml': stringify({ ...socket, kind: 'KubeletConfiguration' }) } : {}),
  }
  const made = entryAt(state.root, '/var/lib/kubelet') === null ? makeDirectory(state, '/var/lib/kubelet', { mode: '0700' }) : state
  return Object.entries(files).reduce(
    (next, [file, text]) => writeFile(next, `/var/lib/kubelet/${file}`, new Content(text), { mode: '0644' }),
    made,
  )
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
