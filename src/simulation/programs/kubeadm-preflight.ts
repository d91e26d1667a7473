import { hasRuntime } from '../control-plane.ts'
import { tcp } from '../daemon.ts'
import { listNames } from '../files.ts'
import { sysctlOf } from '../kernel.ts'
import { refuse } from '../refusal.ts'
import type { HostState } from '../state.ts'
import { entryAt } from '../tree.ts'
import { findUnitFile } from '../unit-lookup.ts'
import { portTaken } from '../unit-process.ts'

/** What a check is about. */
interface Checked {
  readonly state: HostState
  /** Files that must not be there yet. */
  readonly files: readonly string[]
  readonly controlPlane: boolean
  /** Where a stacked etcd is to keep its data; null where there is none. */
  readonly etcdData: string | null
  readonly ignored: readonly string[]
}

const name = (path: string): string => path.replaceAll('/', '-')

/** Everything that is wrong with the host, at once, as the real preflight says it; nothing is changed. */
export function preflight({ state, files, controlPlane, etcdData, ignored }: Checked): void {
  const taken = (port: number): readonly string[] =>
    portTaken(state, [tcp(port)]) === null ? [] : [`[ERROR Port-${port}]: Port ${port} is in use`]
  const problems = [
    ...(hasRuntime(state) ? [] : ['[ERROR CRI]: container runtime is not running']),
    ...(state.swap.length === 0 ? [] : ['[ERROR Swap]: running with swap on is not supported. Please disable swap']),
    ...(sysctlOf(state, 'net.ipv4.ip_forward')?.value === '1'
      ? []
      : ['[ERROR FileContent--proc-sys-net-ipv4-ip_forward]: /proc/sys/net/ipv4/ip_forward contents are not set to 1']),
    ...(findUnitFile(state, 'kubelet.service') === null ? ['[ERROR KubeletNotFound]: kubelet.service does not exist'] : []),
    ...files
      .filter((path) => entryAt(state.root, path) !== null)
      .map((path) => `[ERROR FileAvailable-${name(path)}]: ${path} already exists`),
    ...taken(10250),
    ...(controlPlane ? taken(6443) : []),
    ...(etcdData === null || listNames(state, etcdData).length === 0
      ? []
      : [`[ERROR DirAvailable-${name(etcdData)}]: ${etcdData} is not empty`]),
    ...(state.machine.cpus < 2 && controlPlane ? ['[ERROR NumCPU]: the number of available CPUs 1 is less than the required 2'] : []),
  ]
  const isIgnored = (problem: string): boolean => ignored.some((check) => check === 'all' || problem.startsWith(`[ERROR ${check}]`))
  const left = problems.filter((problem) => !isIgnored(problem))
  if (left.length === 0) return
  throw refuse(
    `error execution phase preflight: [preflight] Some fatal errors occurred:\n\t${left.join('\n\t')}\n[preflight] If you know what you are doing, you can make a check non-fatal with \`--ignore-preflight-errors=...\``,
  )
}
