import { withObject } from './cluster-state.ts'
import { apiAnswers, hasQuorum, hasRuntime } from './control-plane.ts'
import { flag, listensOn, portsOfUrls, tcp } from './daemon.ts'
import { etcdDaemon } from './etcd-daemon.ts'
import { makeDirectory, put, readText } from './files.ts'
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
  if (cluster !== null) cluster.state = { ...cluster.state, controlPlanes: new Set([...cluster.state.controlPlanes, state.machine.name]) }
  return { listens: [tcp(Number(flag(argv, 'secure-port') ?? 6443))] }
}

const kubelet: DaemonModel = ({ argv, state }) => {
  const config = readText(state, flag(argv, 'config') ?? '/var/lib/kubelet/config.yaml')
  if (config === null) return { dies: 'failed to load kubelet config file: open /var/lib/kubelet/config.yaml: no such file or directory' }
  const swapAllowed = flag(argv, 'fail-swap-on') === 'false' || /failSwapOn:\s*false/.test(config)
  if (state.swap.length > 0 && !swapAllowed)
    return { dies: 'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false' }
  if (!hasRuntime(state)) return { dies: 'validate CRI v1 runtime API: dial unix: connect: no such file or directory' }
  const ready = directory(state, '/var/lib/kubelet', '0700')
  registerNode(ready, flag(argv, 'hostname-override') ?? ready.hostname)
  return { state: ready, listens: [tcp(10250), tcp(10248, '127.0.0.1')] }
}

/** A kubelet that reaches the API server makes its node; one that does not runs static pods only. */
function registerNode(state: HostState, name: string): void {
  const { cluster } = state.machine
  if (cluster === null || !apiAnswers(cluster, state) || cluster.state.objects.has(`Node//${name}`)) return
  cluster.state = withObject(cluster.state, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/arch': state.machine.arch } },
    spec: {},
  })
}

/** Proxies listen where their configuration says: `bind *:6443` and `listen 127.0.0.1:6443`. */
const proxy =
  (configuration: RegExp, otherwise: string, pattern: RegExp): DaemonModel =>
  ({ argv, state }) => {
    const path = configuration.exec(argv.join(' '))?.[1] ?? otherwise
    const text = readText(state, path)
    if (text === null) return { dies: `could not open configuration file ${path}: No such file or directory` }
    return {
      listens: [...text.matchAll(pattern)].map(([, address = '', port = '']) =>
        tcp(Number(port), address === '' || address === '*:' ? '0.0.0.0' : address.replace(/:$/, '')),
      ),
    }
  }

const keepalived: DaemonModel = ({ argv, state }) => {
  const path = flag(argv, 'use-file') ?? '/etc/keepalived/keepalived.conf'
  return entryAt(state.root, path) === null ? { dies: `Unable to find configuration file ${path}` } : { listens: [] }
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
  ['kube-proxy', withFiles(listensOn(tcp(10249, '127.0.0.1'), tcp(10256)))],
  ['kubelet', withFiles(kubelet)],
  ['haproxy', proxy(/-f (\S+)/, '/etc/haproxy/haproxy.cfg', /^\s*bind\s+(\S*:)?(\d+)/gm)],
  ['nginx', proxy(/-c (\S+)/, '/etc/nginx/nginx.conf', /^\s*listen\s+(\S*:)?(\d+)/gm)],
  ['keepalived', keepalived],
  ['registry', ({ argv, state }) => registryOutcome(argv, state)],
])

function registryOutcome(argv: readonly string[], state: HostState) {
  const path = argv.find((word) => word.endsWith('.yml') || word.endsWith('.yaml'))
  const text = path === undefined ? '' : readText(state, path)
  if (text === null) return { dies: `configuration error: open ${path}: no such file or directory` }
  const address = /^\s*addr:\s*['"]?([^\s'"]+)/m.exec(text)?.[1] ?? ':5000'
  return { listens: portsOfUrls(`http://${address.startsWith(':') ? `0.0.0.0${address}` : address}`, 5000) }
}
