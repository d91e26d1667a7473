import { runsComponent } from './control-plane.ts'
import { readText } from './files.ts'
import type { ClusterAccess, HostState } from './state.ts'

/** What is behind a URL as a host sees it: a master whose API server answers, or why there is none. */
export function masterBehind(cluster: ClusterAccess, state: HostState, server: string): HostState | string {
  const { hostname } = new URL(server)
  const address = resolved(state, hostname.replace(/^\[|\]$/g, ''))
  if (address === null) return `dial tcp: lookup ${hostname}: no such host`
  const host = hostAt(cluster, state, address)
  if (host !== null && runsComponent(host, 'kube-apiserver')) return host
  const balanced = host !== null && ['haproxy', 'nginx'].some((balancer) => runsComponent(host, balancer))
  const masters = balanced ? [...cluster.state.controlPlanes].map((name) => cluster.peer(name)) : []
  const master = masters.find((one) => one !== null && runsComponent(one, 'kube-apiserver'))
  return master ?? `dial tcp ${address}: connect: connection refused`
}

/** The host that has an address, as one of them sees it. */
export function hostAt(cluster: ClusterAccess, state: HostState, address: string): HostState | null {
  const { machine } = state
  const isOwn = address.startsWith('127.') || [machine.address, ...machine.otherAddresses].includes(address)
  return isOwn ? state : cluster.peerAt(address)
}

/** The address of a name, as /etc/hosts of the host has it. */
function resolved(state: HostState, name: string): string | null {
  if (/^[\d.]+$|:/.test(name)) return name
  const lines = (readText(state, '/etc/hosts') ?? '').split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
  return lines.find(([, ...names]) => names.includes(name))?.[0] ?? null
}
