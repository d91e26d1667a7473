import { makeLink, readText, rewriteFile } from './files.ts'
import { linesOf } from './kernel.ts'
import { refuse } from './refusal.ts'
import type { HostState } from './state.ts'
import { entryAt } from './tree.ts'
import { enabledState, findUnitFile } from './unit-lookup.ts'
import { activeState, disableUnit, enableUnit, startUnit, stopUnit } from './units.ts'

const zoneInfo = '/usr/share/zoneinfo/'

/** Sets the name at once and for the next start. */
export function setHostname(state: HostState, name: string): HostState {
  if (!/^(?=.{1,64}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/.test(name))
    throw refuse(`Could not set static hostname: Invalid static hostname '${name}'`)
  return { ...rewriteFile(state, '/etc/hostname', `${name}\n`), hostname: name }
}

/** The time zone, read from where /etc/localtime points. */
export function timezoneOf(state: HostState): string | null {
  const link = entryAt(state.root, '/etc/localtime', false)
  if (link?.type !== 'link') return null
  const at = link.target.indexOf(zoneInfo.slice(1))
  return at < 0 ? null : link.target.slice(at + zoneInfo.length - 1)
}

/** Points /etc/localtime to a zone the host has. */
export function setTimezone(state: HostState, name: string): HostState {
  if (name === '' || name.includes('..') || entryAt(state.root, zoneInfo + name)?.type !== 'file')
    throw refuse(`Failed to set time zone: Invalid or not installed time zone '${name}'`)
  return makeLink(state, '/etc/localtime', `..${zoneInfo}${name}`)
}

/** Turns all swap off. */
export const swapOff = (state: HostState): HostState => ({ ...state, swap: [] })

/** Turns areas on that exist and are not in use. */
export function swapOn(state: HostState, areas: readonly string[]): HostState {
  for (const area of areas) {
    if (!state.machine.swapAreas.some(({ path }) => path === area))
      throw refuse(`swapon: cannot open ${area}: No such file or directory`, 255)
    if (state.swap.includes(area)) throw refuse(`swapon: ${area}: swapon failed: Device or resource busy`, 255)
  }
  return { ...state, swap: [...state.swap, ...areas] }
}

/** The areas /etc/fstab turns on at boot. */
export const swapAtBoot = (state: HostState): readonly string[] =>
  linesOf(state, '/etc/fstab')
    .map((line) => line.split(/\s+/))
    .filter((fields) => fields[2] === 'swap')
    .flatMap((fields) => fields[0] ?? [])
    .filter((area) => state.machine.swapAreas.some(({ path }) => path === area))

/** What /etc/selinux/config says, or null where there is none. */
export const configuredSelinux = (state: HostState): string | null =>
  /^\s*SELINUX=(\w+)/m.exec(readText(state, '/etc/selinux/config') ?? '')?.[1] ?? null

/** Changes between enforcing and permissive at once; a disabled SELinux cannot be turned on without a restart. */
export function setSelinux(state: HostState, mode: 'enforcing' | 'permissive'): HostState {
  if (state.selinux === 'absent') throw refuse('setenforce: command not found', 127)
  if (state.selinux === 'disabled') throw refuse('setenforce: SELinux is disabled')
  return { ...state, selinux: mode }
}

/** Which firewall the host has, whether it filters now and after a restart. */
export function firewallOf(state: HostState): {
  readonly tool: 'firewalld' | 'ufw' | null
  readonly active: boolean
  readonly atBoot: boolean
} {
  if (findUnitFile(state, 'firewalld.service') !== null)
    return {
      tool: 'firewalld',
      active: activeState(state, 'firewalld') === 'active',
      atBoot: enabledState(state, 'firewalld') === 'enabled',
    }
  if (hasUfw(state)) return { tool: 'ufw', active: state.ufwActive, atBoot: ufwAtBoot(state) }
  return { tool: null, active: false, atBoot: false }
}

/** Turns a firewall on or off, now and at boot. */
export function setFirewall(
  state: HostState,
  tool: 'firewalld' | 'ufw',
  wanted: { readonly active: boolean; readonly atBoot: boolean },
): HostState {
  if (tool === 'firewalld') {
    const atBoot = wanted.atBoot ? enableUnit(state, 'firewalld') : disableUnit(state, 'firewalld')
    return wanted.active ? startUnit(atBoot, 'firewalld') : stopUnit(atBoot, 'firewalld')
  }
  if (!hasUfw(state)) throw refuse('ufw: command not found', 127)
  const text = (readText(state, '/etc/ufw/ufw.conf') ?? '').replace(/^ENABLED=.*$/m, `ENABLED=${wanted.atBoot ? 'yes' : 'no'}`)
  return { ...rewriteFile(state, '/etc/ufw/ufw.conf', text), ufwActive: wanted.active }
}

const hasUfw = (state: HostState): boolean => entryAt(state.root, '/usr/sbin/ufw') !== null

/** Whether ufw comes up with the host. */
export const ufwAtBoot = (state: HostState): boolean => /^ENABLED=yes/m.test(readText(state, '/etc/ufw/ufw.conf') ?? '')
