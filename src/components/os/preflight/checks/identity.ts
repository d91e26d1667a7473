import { hostsOf } from '../../../../config/index.ts'
import { type Finding, finding } from '../../../../event/index.ts'
import type { Host, StepContext } from '../../../../runtime/index.ts'
import { managedMarks } from '../../../../step/generic/block.ts'
import { defineCheck } from '../../../../step/index.ts'
import { seconds } from '../../../../util/time.ts'
import { mayRepair, sightOf } from './sight.ts'

export const hostname = defineCheck({
  name: 'preflight.hostname',
  title: 'Check the name of the host',
  timeout: seconds(10),
  check: async (ctx) => {
    const { name, facts } = ctx.host
    if (facts.hostname === name) return null
    const said = { seen: facts.hostname || 'nothing', name }
    return mayRepair(ctx) ? finding('KX_HOSTNAME', said, 'warning') : finding('KX_HOSTNAME_KEPT', said, 'error')
  },
})

/** The other hosts that share something with this one. */
const sharing = ({ host, hosts }: StepContext, of: (host: Host) => string | null): string => {
  const own = of(host)
  if (own === null || own === '') return ''
  return hosts
    .filter((other) => other.name !== host.name && of(other) === own)
    .map(({ name }) => name)
    .join(', ')
}

export const duplicateHostname = defineCheck({
  name: 'preflight.duplicate-hostname',
  title: 'Check that no other host has the same name',
  timeout: seconds(10),
  check: async (ctx) => {
    const others = sharing(ctx, ({ facts }) => facts.hostname)
    const severity = mayRepair(ctx) ? 'warning' : 'error'
    return others === '' ? null : finding('KX_DUPLICATE_HOSTNAME', { others, name: ctx.host.facts.hostname }, severity)
  },
})

export const duplicateMachineId = defineCheck({
  name: 'preflight.duplicate-machine-id',
  title: 'Check that no other host has the same machine id',
  timeout: seconds(10),
  check: async (ctx) => {
    const others = sharing(ctx, ({ facts }) => facts.machineId)
    return others === '' ? null : finding('KX_DUPLICATE_MACHINE_ID', { others, id: ctx.host.facts.machineId }, 'error')
  },
})

/** A container has the clock and the UUID of the machine around it. */
const isContainer = ({ facts }: Host): boolean => containers.has(facts.virtualization)

const containers = new Set(['systemd-nspawn', 'lxc', 'lxc-libvirt', 'docker', 'podman', 'openvz', 'wsl', 'proot', 'pouch'])

export const duplicateProductUuid = defineCheck({
  name: 'preflight.duplicate-product-uuid',
  title: 'Check that no other host has the same product UUID',
  timeout: seconds(10),
  check: async (ctx) => {
    const others = sharing(ctx, (host) => (isContainer(host) ? null : host.facts.productUuid))
    return others === '' ? null : finding('KX_DUPLICATE_PRODUCT_UUID', { others, id: ctx.host.facts.productUuid ?? '' }, 'warning')
  },
})

export const clock = defineCheck({
  name: 'preflight.clock',
  title: 'Compare the clock with those of this machine and of the other hosts',
  timeout: seconds(10),
  check: async (ctx) => {
    const { host, hosts } = ctx
    const limit = ctx.cluster.spec.preflight.maxClockSkewSeconds
    // Where kubexm sets up a time service the clock is right before certificates are made.
    const severity = setsClocks(ctx) ? 'warning' : 'error'
    const offset = host.facts.clockOffsetMs
    const apart = offset - usualOffset(hosts)
    const said = (ms: number) => ({ offset: `${ms > 0 ? '+' : ''}${(ms / 1000).toFixed(1)}`, limit })
    if (Math.abs(apart) > limit * 1000) return finding('KX_CLOCK_APART', said(apart), severity)
    return Math.abs(offset) > limit * 1000 ? finding('KX_CLOCK_SKEW', said(offset), severity) : null
  },
})

const usualOffsets = new WeakMap<readonly Host[], number>()

/** The middle offset by distance from our clock, so that a single wrong clock does not make the right ones look wrong; found once for all hosts. */
function usualOffset(hosts: readonly Host[]): number {
  const known = usualOffsets.get(hosts)
  if (known !== undefined) return known
  const sorted = hosts.map(({ facts }) => facts.clockOffsetMs).sort((a, b) => Math.abs(a) - Math.abs(b))
  const usual = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  usualOffsets.set(hosts, usual)
  return usual
}

export const timeService = defineCheck({
  name: 'preflight.time-service',
  title: 'Check that a time service runs',
  timeout: seconds(60),
  check: async (ctx) => {
    const { chrony, chronyd, timesyncd, ntp, ntpd } = await sightOf(ctx)
    const runs = [chrony, chronyd, timesyncd, ntp, ntpd].some(({ active }) => active === 'active')
    if (runs || isContainer(ctx.host)) return null
    return finding(setsClocks(ctx) ? 'KX_TIME_SERVICE' : 'KX_TIME_SERVICE_KEPT', {}, 'warning')
  },
})

/** Whether kubexm sets up a time service on this host: it needs servers to ask, and a clock that is the host's own. */
const setsClocks = (ctx: StepContext): boolean => mayRepair(ctx) && ctx.cluster.spec.system.ntpServers.length > 0 && !isContainer(ctx.host)

export const hostNames = defineCheck({
  name: 'preflight.host-names',
  title: 'Check what /etc/hosts says about the cluster hosts',
  timeout: seconds(60),
  check: async (ctx): Promise<readonly Finding[]> => {
    const lines = namesIn((await sightOf(ctx)).hostsFile.stdout)
    const localhost = lines.some(({ address, names }) => address === '127.0.0.1' && names.includes('localhost'))
    const conflicts = hostsOf(ctx.cluster).flatMap(({ name, address, internalAddresses }) =>
      lines
        .filter((line) => line.names.includes(name) && ![address, ...internalAddresses].includes(line.address))
        // Debian names the host itself 127.0.1.1; only for the others that would be wrong.
        .filter((line) => name !== ctx.host.name || !(line.address.startsWith('127.') || line.address === '::1'))
        .map((line) => finding('KX_HOSTS_CONFLICT', { address: line.address, name, wanted: internalAddresses.join(' or ') }, 'error')),
    )
    return localhost ? conflicts : [finding('KX_LOCALHOST', {}, 'warning'), ...conflicts]
  },
})

const managed = new RegExp(`^${managedMarks.begin}$[\\s\\S]*?^${managedMarks.end}$`, 'gm')

/** The lines of a hosts file, without those kubexm writes itself. */
function namesIn(text: string): readonly { readonly address: string; readonly names: readonly string[] }[] {
  return text
    .replaceAll(managed, '')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
    .map(([address = '', ...names]) => ({ address, names }))
}
