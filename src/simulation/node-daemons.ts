import type { Json } from '../util/json.ts'
import { certificateRequest } from './certificate-request.ts'
import { objectKey, withObject } from './cluster-state.ts'
import { apiAnswers, hasRuntime, stateOf } from './control-plane.ts'
import { flag, tcp } from './daemon.ts'
import { makeDirectory, readText } from './files.ts'
import { hasModule } from './kernel.ts'
import { type ClusterAccess, type DaemonModel, type HostState, processesOf } from './state.ts'
import { entryAt } from './tree.ts'
import { findProgram } from './unit-process.ts'
import { readYaml } from './yaml.ts'

/** A configuration file of Kubernetes, as far as it decides whether its program starts. */
interface Configuration {
  readonly kind?: string
  readonly failSwapOn?: boolean
  readonly tlsCertFile?: string
  readonly tlsPrivateKeyFile?: string
  readonly authentication?: { readonly x509?: { readonly clientCAFile?: string } }
  readonly registerWithTaints?: readonly Json[]
  readonly serverTLSBootstrap?: boolean
  readonly mode?: string
}

/** A configuration file, or why the program cannot start with it. */
function configuration(state: HostState, path: string, kind: string): Configuration | { readonly dies: string } {
  const text = readText(state, path)
  if (text === null) return { dies: `failed to load config file: open ${path}: no such file or directory` }
  try {
    const read = readYaml(text) as Configuration | null
    return read?.kind === kind ? read : { dies: `failed to load config file ${path}: no kind ${kind} is registered for it` }
  } catch (cause) {
    return { dies: `failed to load config file ${path}: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}

/** The version in the file of a program that stands for a released one; null where it is just a program of that name. */
export function versionOf(state: HostState, program: string): string | null {
  const path = findProgram(state, program)
  const entry = path === null ? null : entryAt(state.root, path)
  return entry?.type === 'file' ? (/simulated program \S+ (v\S+) for/.exec(entry.content.text())?.[1] ?? null) : null
}

const withTraces = (state: HostState, ...traces: readonly string[]): HostState => ({
  ...state,
  traces: new Set([...state.traces, ...traces]),
})

/** The kubelet: it needs its files, a container runtime and no swap. */
export const kubeletDaemon: DaemonModel = ({ argv, state }) => {
  const config = kubeletConfiguration(state, argv)
  if ('dies' in config) return config
  const swapAllowed = flag(argv, 'fail-swap-on') === 'false' || config.failSwapOn === false
  if (state.swap.length > 0 && !swapAllowed)
    return { dies: 'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false' }
  const files = [config.tlsCertFile, config.tlsPrivateKeyFile, config.authentication?.x509?.clientCAFile]
  const missing = files.find((path) => path !== undefined && entryAt(state.root, path) === null)
  // What kubeadm puts there it puts there before it starts the kubelet, but the test of another component may not.
  if (missing !== undefined && flag(argv, 'config') !== null) return { dies: `open ${missing}: no such file or directory` }
  if (!hasRuntime(state)) return { dies: 'validate CRI v1 runtime API: dial unix: connect: no such file or directory' }
  const root = flag(argv, 'root-dir') ?? '/var/lib/kubelet'
  const made = entryAt(state.root, root) === null ? makeDirectory(state, root, { mode: '0750' }) : state
  introduce(made, argv, config)
  return { state: made, listens: [tcp(10250), tcp(10248, '127.0.0.1')] }
}

/** A kubelet makes itself known to the API server, or waits until there is one. */
function introduce(state: HostState, argv: readonly string[], config: Configuration): void {
  const { cluster, name: host } = state.machine
  const name = flag(argv, 'hostname-override') ?? state.hostname
  if (cluster === null) return
  const waiting = new Set(cluster.state.unregistered)
  if (apiAnswers(cluster, state)) waiting.delete(host)
  else waiting.add(host)
  cluster.state = { ...cluster.state, unregistered: waiting }
  register(state, name, versionOf(state, argv[0] ?? ''), config.registerWithTaints ?? [])
  if (config.serverTLSBootstrap === true) requestServing(state, name)
}

/** Kubelets that waited for an API server register with the one that answers now. */
export function registerWaiting(cluster: ClusterAccess, seenBy: HostState): void {
  for (const host of cluster.state.unregistered) {
    const state = stateOf(cluster, seenBy, host)
    const kubelet = state === null ? undefined : processesOf(state).find(({ name }) => name === 'kubelet')
    const config = state === null || kubelet === undefined ? null : kubeletConfiguration(state, kubelet.argv)
    if (state !== null && kubelet !== undefined && config !== null && !('dies' in config)) introduce(state, kubelet.argv, config)
  }
}

const kubeletConfiguration = (state: HostState, argv: readonly string[]): Configuration | { readonly dies: string } =>
  configuration(state, flag(argv, 'config') ?? '/var/lib/kubelet/config.yaml', 'KubeletConfiguration')

/** A kubelet that reaches the API server makes its node and says its version; one that does not runs static pods only. */
export function register(state: HostState, name: string, version: string | null, taints: readonly Json[]): void {
  const { cluster } = state.machine
  if (cluster === null || !apiAnswers(cluster, state)) return
  const known = cluster.state.objects.get(objectKey('Node', undefined, name))
  const node = known ?? {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/arch': state.machine.arch } },
    spec: taints.length === 0 ? {} : { taints },
  }
  const seen = (node.status?.nodeInfo as { readonly kubeletVersion?: string } | undefined)?.kubeletVersion ?? null
  if (known !== undefined && seen === version) return
  cluster.state = withObject(cluster.state, { ...node, ...(version === null ? {} : { status: { nodeInfo: { kubeletVersion: version } } }) })
}

/** A kubelet that is to have its serving certificate from the cluster asks for it, once. */
function requestServing({ machine }: HostState, name: string): void {
  const { cluster } = machine
  const key = objectKey('CertificateSigningRequest', undefined, `csr-${name}`)
  if (cluster === null || !cluster.state.objects.has(objectKey('Node', undefined, name)) || cluster.state.objects.has(key)) return
  const [user, group] = [`system:node:${name}`, 'system:nodes']
  cluster.state = withObject(cluster.state, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: `csr-${name}` },
    spec: {
      signerName: 'kubernetes.io/kubelet-serving',
      username: user,
      groups: [group, 'system:authenticated'],
      usages: ['digital signature', 'server auth'],
      request: certificateRequest({ user, group, names: [name, machine.address] }),
    },
  })
}

/** What each mode of kube-proxy needs of a host, and what it leaves there. */
const modes: Readonly<Record<string, { readonly program: string; readonly module?: string; readonly leaves: readonly string[] }>> = {
  iptables: { program: 'iptables', leaves: ['chain iptables-nft nat KUBE-SERVICES', 'chain iptables-nft filter KUBE-FORWARD'] },
  nftables: { program: 'nft', leaves: ['table ip kube-proxy', 'table ip6 kube-proxy'] },
  ipvs: { program: 'ipset', module: 'ip_vs', leaves: ['link kube-ipvs0', 'set KUBE-CLUSTER-IP', 'chain iptables-nft nat KUBE-SERVICES'] },
}

/** kube-proxy: it needs what its mode needs, and leaves its rules behind. */
export const kubeProxyDaemon: DaemonModel = ({ argv, state }) => {
  const path = flag(argv, 'config')
  const config = path === null ? { mode: flag(argv, 'proxy-mode') ?? 'iptables' } : configuration(state, path, 'KubeProxyConfiguration')
  if ('dies' in config) return config
  const mode = modes[config.mode || 'iptables']
  if (mode === undefined) return { dies: `invalid configuration: mode: unknown proxy mode ${config.mode}` }
  if (findProgram(state, mode.program) === null) return { dies: `exec: "${mode.program}": executable file not found in $PATH` }
  if (mode.module !== undefined && !hasModule(state, mode.module))
    return { dies: `can't use the IPVS proxier: IPVS kernel module ${mode.module} is not there` }
  return { state: withTraces(state, ...mode.leaves), listens: [tcp(10249, '127.0.0.1'), tcp(10256)] }
}
