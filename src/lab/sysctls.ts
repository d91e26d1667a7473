import { access, constants, readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** Values of kernel parameters by their path below /proc/sys. */
export type Sysctls = Readonly<Record<string, string>>

const root = '/proc/sys'
// Shared by all namespaces, so that a host that sets them sets them for the machine. The rest of net belongs to a namespace.
const shared = ['kernel', 'vm', 'fs', 'net/netfilter/nf_conntrack_max']
// Changed by the kernel itself, private to a namespace, or commands rather than values.
const notSettings =
  /^(kernel\/(random\/|ns_last_pid|hostname|domainname|cad_pid|tainted|perf_event_max_sample_rate|sched_domain)|vm\/(drop_caches|compact_memory|stat_refresh)|fs\/binfmt_misc\/|fs\/mqueue\/)/

/** The kernel parameters of the machine that lab hosts could change. */
export async function readSysctls(): Promise<Sysctls> {
  const values: Record<string, string> = {}
  for (const path of shared) await collect(path, values)
  return values
}

/** Puts kernel parameters back to what they were; gives the names of those it could not. */
export async function restoreSysctls(before: Sysctls): Promise<string[]> {
  const now = await readSysctls()
  const stuck: string[] = []
  for (const [path, value] of Object.entries(before)) {
    if (now[path] === undefined || now[path] === value) continue
    try {
      await writeFile(join(root, path), value)
    } catch {
      stuck.push(path)
    }
  }
  return stuck
}

/** Sets what many Kubernetes nodes on one kernel need and cannot set from inside a namespace. */
export async function presetSysctls(): Promise<void> {
  const now = await readSysctls()
  const atLeast: Readonly<Record<string, number>> = { 'fs/inotify/max_user_instances': 8192, 'fs/inotify/max_user_watches': 1_048_576 }
  for (const [path, value] of Object.entries(atLeast)) {
    if (now[path] !== undefined && Number(now[path]) < value) await writeFile(join(root, path), String(value))
  }
  // kube-proxy sets its default, also where there is more; in a namespace that is refused, so it must find exactly that.
  const connections = 'net/netfilter/nf_conntrack_max'
  if (now[connections] !== undefined) await writeFile(join(root, connections), String(Math.max(131_072, 32_768 * availableParallelism())))
}

async function collect(path: string, into: Record<string, string>): Promise<void> {
  if (notSettings.test(path)) return
  const full = join(root, path)
  try {
    const entries = await readdir(full, { withFileTypes: true })
    for (const entry of entries) await collect(`${path}/${entry.name}`, into)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'ENOTDIR') await collectValue(path, full, into)
    else if (error.code !== 'ENOENT') throw error
  }
}

async function collectValue(path: string, full: string, into: Record<string, string>): Promise<void> {
  try {
    await access(full, constants.R_OK | constants.W_OK)
    const value = (await readFile(full, 'utf8')).trimEnd()
    if (value !== '') into[path] = value
  } catch {
    // Write-only, read-only or not for us: nothing a host could change and we could put back.
  }
}
