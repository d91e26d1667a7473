import type { Entry } from './entry.ts'
import type { HostState } from './state.ts'
import { walkApart } from './tree.ts'

/** A host at one moment. Holding one costs nothing, since states never change. */
export interface Snapshot {
  readonly host: string
  readonly state: HostState
}

/**
 * What differs between two snapshots, one line a difference, `-` for the first and `+` for the second.
 * Times and process numbers are left out: they differ whenever something was done and undone.
 */
export function diffSnapshots(a: Snapshot, b: Snapshot): string[] {
  if (a.state === b.state) return []
  const [before, after] = [describeApart(a.state, b.state), describeApart(b.state, a.state)]
  const lines: string[] = []
  for (const key of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [was, is] = [before.get(key), after.get(key)]
    if (was === is) continue
    if (was !== undefined) lines.push(`- ${key} ${was}`)
    if (is !== undefined) lines.push(`+ ${key} ${is}`)
  }
  return lines
}

/** What is so on a host, by name, as text, but for what it shares with the other: states of one host have nearly everything in common. */
function describeApart(state: HostState, other: HostState): ReadonlyMap<string, string> {
  const facts = new Map<string, string>()
  for (const [path, entry] of walkApart(state.root, other.root)) facts.set(`file ${path}`, describeEntry(entry))
  for (const [name, unit] of state.units) {
    if (unit.active === 'inactive') continue
    const running = unit.process === null ? '' : ` running ${unit.process.argv.join(' ')} as ${unit.process.user}`
    facts.set(`unit ${name}`, `${unit.active}${running}`)
    for (const port of unit.process?.listens ?? []) facts.set(`port ${port.protocol} ${port.address}:${port.port}`, name)
  }
  for (const process of state.processes) facts.set(`process ${process.pid}`, `${process.argv.join(' ')} as ${process.user}`)
  for (const [name, { version, held }] of state.packages) facts.set(`package ${name}`, held ? `${version} held` : version)
  for (const [name, user] of state.users) facts.set(`user ${name}`, `${user.uid}:${user.gid} ${user.home} ${user.shell}`)
  for (const [name, gid] of state.groups) facts.set(`group ${name}`, String(gid))
  for (const [key, value] of state.sysctls) facts.set(`sysctl ${key}`, value)
  for (const name of state.modules) facts.set(`module ${name}`, 'loaded')
  for (const [path, mount] of state.mounts) facts.set(`mount ${path}`, `${mount.source} ${mount.type} ${mount.options}`)
  for (const trace of state.traces) facts.set(`trace ${trace}`, 'left')
  for (const area of state.swap) facts.set(`swap ${area}`, 'on')
  facts.set('selinux', state.selinux)
  facts.set('ufw', state.ufwActive ? 'active' : 'inactive')
  facts.set('hostname', state.hostname)
  return facts
}

function describeEntry(entry: Entry): string {
  if (entry.type === 'link') return `link to ${entry.target}`
  if (entry.type === 'file') return `file ${entry.mode} ${entry.owner} ${entry.content.sha256.slice(0, 16)} (${entry.content.size} bytes)`
  return `${entry.type} ${entry.mode} ${entry.owner}`
}
