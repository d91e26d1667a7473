import { listNames, readText } from './files.ts'
import { attempt, refuse } from './refusal.ts'
import { type HostState, withKey } from './state.ts'

/** Loadable modules with what they need; a name not here does not exist for the kernel. */
const modules: Readonly<Record<string, readonly string[]>> = {
  llc: [],
  stp: ['llc'],
  bridge: ['stp'],
  br_netfilter: ['bridge'],
  overlay: [],
  nf_conntrack: [],
  nf_nat: ['nf_conntrack'],
  ip_tables: [],
  iptable_nat: ['ip_tables', 'nf_nat'],
  iptable_filter: ['ip_tables'],
  ip_vs: ['nf_conntrack'],
  ip_vs_rr: ['ip_vs'],
  ip_vs_wrr: ['ip_vs'],
  ip_vs_sh: ['ip_vs'],
  ip_set: [],
  xt_set: ['ip_set'],
  vxlan: [],
  ipip: [],
  geneve: [],
  openvswitch: ['nf_conntrack'],
  wireguard: [],
  nfs: [],
  iscsi_tcp: [],
  dummy: [],
  rbd: [],
}

interface SysctlModel {
  readonly value: string
  readonly module?: string
  readonly readOnly?: true
  /** Any text is accepted, not only numbers. */
  readonly text?: true
}

const sysctls: Readonly<Record<string, SysctlModel>> = {
  'net.ipv4.ip_forward': { value: '0' },
  'net.ipv4.conf.all.forwarding': { value: '0' },
  'net.ipv4.conf.all.rp_filter': { value: '2' },
  'net.ipv4.conf.default.rp_filter': { value: '2' },
  'net.ipv4.conf.all.arp_accept': { value: '0' },
  'net.ipv4.conf.default.arp_accept': { value: '0' },
  'net.ipv4.conf.all.arp_announce': { value: '0' },
  'net.ipv4.conf.all.arp_ignore': { value: '0' },
  'net.ipv4.ip_local_port_range': { value: '32768 60999', text: true },
  'net.ipv4.ip_local_reserved_ports': { value: '', text: true },
  'net.ipv4.ip_nonlocal_bind': { value: '0' },
  'net.ipv4.neigh.default.gc_thresh1': { value: '128' },
  'net.ipv4.neigh.default.gc_thresh2': { value: '512' },
  'net.ipv4.neigh.default.gc_thresh3': { value: '1024' },
  'net.ipv4.tcp_keepalive_time': { value: '7200' },
  'net.ipv4.tcp_max_syn_backlog': { value: '512' },
  'net.ipv4.tcp_tw_reuse': { value: '2' },
  'net.ipv6.conf.all.disable_ipv6': { value: '0' },
  'net.ipv6.conf.default.disable_ipv6': { value: '0' },
  'net.ipv6.conf.lo.disable_ipv6': { value: '0' },
  'net.ipv6.conf.all.forwarding': { value: '0' },
  'net.core.somaxconn': { value: '4096' },
  'net.core.netdev_max_backlog': { value: '1000' },
  'net.core.rmem_max': { value: '212992' },
  'net.core.wmem_max': { value: '212992' },
  'net.bridge.bridge-nf-call-iptables': { value: '1', module: 'br_netfilter' },
  'net.bridge.bridge-nf-call-ip6tables': { value: '1', module: 'br_netfilter' },
  'net.bridge.bridge-nf-call-arptables': { value: '1', module: 'br_netfilter' },
  'net.netfilter.nf_conntrack_max': { value: '262144', module: 'nf_conntrack' },
  'vm.swappiness': { value: '60' },
  'vm.overcommit_memory': { value: '0' },
  'vm.max_map_count': { value: '65530' },
  'vm.panic_on_oom': { value: '0' },
  'fs.file-max': { value: '9223372036854775807' },
  'fs.inotify.max_user_watches': { value: '65536' },
  'fs.inotify.max_user_instances': { value: '128' },
  'fs.inotify.max_queued_events': { value: '16384' },
  'fs.pipe-max-size': { value: '1048576' },
  'fs.aio-max-nr': { value: '65536' },
  'kernel.pid_max': { value: '4194304' },
  'kernel.panic': { value: '0' },
  'kernel.panic_on_oops': { value: '0' },
  'kernel.watchdog_thresh': { value: '10' },
  'kernel.softlockup_panic': { value: '0' },
  'kernel.core_pattern': { value: 'core', text: true },
  'kernel.ostype': { value: 'Linux', readOnly: true, text: true },
  'user.max_user_namespaces': { value: '63432' },
}

/** `a/b` and `a.b` are one key. */
const normalKey = (key: string): string => (key.includes('/') ? key.replaceAll('/', '.') : key)

/** A value with its fields one blank apart, as the runner gives it. */
const normalSysctl = (value: string): string => value.trim().split(/\s+/).join(' ')

/** Whether the kernel has this module in it or loaded. */
export const hasModule = (state: HostState, name: string): boolean =>
  state.machine.os.builtinModules.includes(normalModule(name)) || state.modules.has(normalModule(name))

/** Modules are named with `-` and `_` alike. */
export const normalModule = (name: string): string => name.replaceAll('-', '_')

/** A key's value and whether it can be set; null where the kernel has no such key now. */
export function sysctlOf(state: HostState, key: string): { readonly value: string; readonly writable: boolean } | null {
  const model = sysctls[normalKey(key)]
  if (model === undefined || (model.module !== undefined && !hasModule(state, model.module))) return null
  return { value: state.sysctls.get(normalKey(key)) ?? model.value, writable: model.readOnly !== true }
}

/** Sets a key at once; it lasts until the host restarts. */
export function setSysctl(state: HostState, key: string, value: string): HostState {
  const name = normalKey(key)
  const model = sysctls[name]
  const now = sysctlOf(state, name)
  if (model === undefined || now === null)
    throw refuse(`sysctl: cannot stat /proc/sys/${name.replaceAll('.', '/')}: No such file or directory`)
  if (normalSysctl(value) === normalSysctl(now.value)) return state
  if (!now.writable) throw refuse(`sysctl: permission denied on key "${name}"`)
  if (model.text !== true && !/^-?\d+$/.test(value.trim())) throw refuse(`sysctl: setting key "${name}": Invalid argument`)
  const normal = normalSysctl(value)
  return { ...state, sysctls: withKey(state.sysctls, name, normal === model.value ? undefined : normal) }
}

/** Loads a module and what it needs. */
export function loadModule(state: HostState, name: string): HostState {
  const module = normalModule(name)
  if (hasModule(state, module)) return state
  const needs = modules[module]
  if (needs === undefined || state.machine.os.absentModules?.includes(module))
    throw refuse(`modprobe: FATAL: Module ${name} not found in directory /lib/modules/${state.machine.os.kernel}`)
  const ready = needs.reduce<HostState>((next, needed) => loadModule(next, needed), state)
  return { ...ready, modules: new Set([...ready.modules, module]) }
}

/** Unloads a module and what only it needed; one in use stays. */
export function unloadModule(state: HostState, name: string): HostState {
  const module = normalModule(name)
  if (state.machine.os.builtinModules.includes(module)) throw refuse(`modprobe: FATAL: Module ${module} is builtin.`)
  if (!state.modules.has(module)) {
    if (modules[module] === undefined) throw refuse(`modprobe: FATAL: Module ${name} not found.`)
    return state
  }
  if (users(state, module).length > 0 || isMounted(state, module)) throw refuse(`modprobe: FATAL: Module ${module} is in use.`)
  const gone = new Set(state.modules)
  gone.delete(module)
  const kept = new Map([...state.sysctls].filter(([key]) => sysctls[key]?.module !== module))
  const next: HostState = { ...state, modules: gone, sysctls: kept }
  return (modules[module] ?? []).reduce(
    (so, needed) => (so.modules.has(needed) && users(so, needed).length === 0 ? unloadModule(so, needed) : so),
    next,
  )
}

const users = (state: HostState, module: string): readonly string[] =>
  [...state.modules].filter((other) => modules[other]?.includes(module))
const isMounted = (state: HostState, module: string): boolean => [...state.mounts.values()].some((mount) => mount.type === module)

/** The kernel as it is after a restart: what files in /etc say, and nothing else. */
export function bootKernel(state: HostState): HostState {
  const fresh: HostState = { ...state, modules: new Set(), sysctls: new Map() }
  const wanted = confLines(fresh, '/etc/modules-load.d').concat(linesOf(fresh, '/etc/modules'))
  const loaded = wanted.reduce<HostState>((next, name) => tolerate(next, () => loadModule(next, name)), fresh)
  const settings = confLines(loaded, '/etc/sysctl.d').concat(linesOf(loaded, '/etc/sysctl.conf'))
  return settings.reduce<HostState>((next, line) => applySetting(next, line), loaded)
}

/** Applies one `key = value` line as the boot does; what does not hold is passed over. */
export function applySetting(state: HostState, line: string): HostState {
  const equals = line.indexOf('=')
  return equals < 0
    ? state
    : tolerate(state, () => setSysctl(state, line.slice(0, equals).trim().replace(/^-/, ''), line.slice(equals + 1).trim()))
}

/** The boot goes on when one setting cannot be made. */
const tolerate = (state: HostState, change: () => HostState): HostState => attempt(state, change).state

const confLines = (state: HostState, directory: string): string[] =>
  listNames(state, directory)
    .filter((name) => name.endsWith('.conf'))
    .flatMap((name) => linesOf(state, `${directory}/${name}`))

/** Lines that say something. */
export const linesOf = (state: HostState, path: string): string[] =>
  (readText(state, path) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith(';'))
