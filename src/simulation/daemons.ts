import { haproxyDaemon, keepalivedDaemon, nginxDaemon } from './balancer-daemons.ts'
import { hasQuorum } from './control-plane.ts'
import { flag, listensOn, tcp } from './daemon.ts'
import { etcdDaemon } from './etcd-daemon.ts'
import { makeDirectory, put } from './files.ts'
import { kubeletDaemon, kubeProxyDaemon, versionOf } from './node-daemons.ts'
import { registryDaemon } from './registry-daemon.ts'
import type { DaemonModel, DaemonStart, HostState } from './state.ts'
import { entryAt } from './tree.ts'

/** The first file a flag names that is not there: programs of this kind end at once then. */
export function missingFile({ argv, state }: DaemonStart): string | null {
  for (const [i, word] of argv.entries()) {
    const [name = '', value = argv[i + 1] ?? ''] = word.split('=', 2)
    const namesFile =
      /^--([a-z0-9-]*-file|kubeconfig|config|client-ca-file|authentication-kubeconfig|authorization-kubeconfig|bootstrap-kubeconfig)$/.test(
        name,
      )
    if (!namesFile || name === '--log-file' || !value.startsWith('/')) continue
    // kubelet makes its kubeconfig itself from the one it bootstraps with.
    if (name === '--kubeconfig' && argv.some((other) => other.startsWith('--bootstrap-kubeconfig'))) continue
    if (name === '--bootstrap-kubeconfig' && entryAt(state.root, flag(argv, 'kubeconfig') ?? '/nothing') !== null) continue
    if (entryAt(state.root, value) === null) return value
  }
  return null
}

/** A program that needs the files its flags name. */
const withFiles =
  (model: DaemonModel): DaemonModel =>
  (start) => {
    const missing = missingFile(start)
    return missing === null ? model(start) : { dies: `open ${missing}: no such file or directory` }
  }

/** A directory the program makes when it first runs, and leaves behind. */
const directory = (state: HostState, path: string, mode = '0755'): HostState =>
  entryAt(state.root, path) === null ? makeDirectory(state, path, { mode }) : state

/** A socket the program listens on. */
function socket(state: HostState, path: string): HostState {
  const ready = directory(state, path.slice(0, path.lastIndexOf('/')))
  return put(ready, path.slice(1).split('/'), { type: 'other', mode: '0660', owner: 'root:root', modified: state.now })
}

const containerd: DaemonModel = ({ state }) => ({
  state: socket(directory(directory(state, '/var/lib/containerd', '0711'), '/etc/cni/net.d'), '/run/containerd/containerd.sock'),
})

const docker: DaemonModel = ({ state }) => ({ state: socket(directory(state, '/var/lib/docker', '0710'), '/run/docker.sock') })

const apiServer: DaemonModel = ({ argv, state }) => {
  const { cluster } = state.machine
  if (cluster !== null && !hasQuorum(cluster, state)) return { dies: 'error while dialing etcd: context deadline exceeded' }
  if (cluster !== null) {
    const version = versionOf(state, argv[0] ?? '') ?? cluster.state.version
    cluster.state = { ...cluster.state, version, controlPlanes: new Set([...cluster.state.controlPlanes, state.machine.name]) }
  }
  return { listens: [tcp(Number(flag(argv, 'secure-port') ?? 6443))] }
}

/** How the programs kubexm starts as services behave, by the name of their file. */
export const standardDaemons: ReadonlyMap<string, DaemonModel> = new Map<string, DaemonModel>([
  ['sshd', listensOn(tcp(22))],
  ['containerd', withFiles(containerd)],
  ['dockerd', withFiles(docker)],
  ['crio', ({ state }) => ({ state: socket(directory(state, '/var/lib/containers'), '/run/crio/crio.sock') })],
  ['isulad', ({ state }) => ({ state: socket(directory(state, '/var/lib/isulad'), '/run/isulad.sock') })],
  ['etcd', withFiles(etcdDaemon)],
  ['kube-apiserver', withFiles(apiServer)],
  ['kube-controller-manager', withFiles(listensOn(tcp(10257)))],
  ['kube-scheduler', withFiles(listensOn(tcp(10259)))],
  ['kube-proxy', withFiles(kubeProxyDaemon)],
  ['kubelet', withFiles(kubeletDaemon)],
  ['haproxy', haproxyDaemon],
  ['nginx', nginxDaemon],
  ['keepalived', keepalivedDaemon],
  ['registry', registryDaemon],
])
