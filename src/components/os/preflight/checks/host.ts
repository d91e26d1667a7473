import { type Finding, finding } from '../../../../event/index.ts'
import type { Facts } from '../../../../runner/index.ts'
import { defineCheck } from '../../../../step/index.ts'
import { seconds } from '../../../../util/time.ts'
import { isOne, spaceOf } from './needs.ts'
import { sightOf } from './sight.ts'

/** Distributions someone has tried; others of their families work by the same commands. */
const tried = new Set(['debian', 'ubuntu', 'rhel', 'centos', 'rocky', 'almalinux', 'ol', 'openEuler', 'kylin', 'uos', 'anolis'])

export const operatingSystem = defineCheck({
  name: 'preflight.operating-system',
  title: 'Check the operating system',
  timeout: seconds(10),
  check: async ({ host: { facts } }) => {
    if (facts.family !== 'debian' && facts.family !== 'rhel') return finding('KX_OS_UNSUPPORTED', { name: facts.os.name }, 'error')
    return tried.has(facts.os.id) ? null : finding('KX_OS_UNTESTED', { name: facts.os.name, family: facts.family }, 'warning')
  },
})

export const architecture = defineCheck({
  name: 'preflight.architecture',
  title: 'Check the processor architecture',
  timeout: seconds(10),
  check: async ({ host: { arch: wanted, facts } }) => {
    if (!['amd64', 'arm64'].includes(facts.arch)) return finding('KX_ARCH_UNSUPPORTED', { arch: facts.arch }, 'error')
    return wanted === null || wanted === facts.arch ? null : finding('KX_ARCH_MISMATCH', { seen: facts.arch, wanted }, 'error')
  },
})

export const serviceManager = defineCheck({
  name: 'preflight.service-manager',
  title: 'Check that systemd runs the services',
  timeout: seconds(10),
  check: async ({ host: { facts } }) => (facts.init === 'systemd' ? null : finding('KX_NO_SYSTEMD', { init: facts.init }, 'error')),
})

export const cpu = defineCheck({
  name: 'preflight.cpu',
  title: 'Check the number of CPUs',
  timeout: seconds(10),
  check: async ({ host, cluster: { spec } }) => {
    const least = spec.preflight.minCPUCores
    if (!isOne(host, 'node') || host.facts.cpus >= least) return null
    return finding('KX_CPU_TOO_FEW', { cpus: host.facts.cpus, least, roles: host.roles.join(', ') }, 'error')
  },
})

/** The kernel keeps some memory for itself: a machine sold with 4096 MiB shows about 3900. */
const visibleShare = 0.9

export const memory = defineCheck({
  name: 'preflight.memory',
  title: 'Check the memory',
  timeout: seconds(10),
  check: async ({ host, cluster: { spec } }) => {
    const { minMasterMemoryMB, minMemoryMB } = spec.preflight
    const isMaster = host.roles.includes('master')
    const least = isMaster ? minMasterMemoryMB : minMemoryMB
    if (!isOne(host, 'node') || host.facts.memoryMiB >= least * visibleShare) return null
    const field = isMaster ? 'minMasterMemoryMB' : 'minMemoryMB'
    return finding('KX_MEMORY_TOO_SMALL', { mib: host.facts.memoryMiB, least, roles: host.roles.join(', '), field }, 'error')
  },
})

export const diskSpace = defineCheck({
  name: 'preflight.disk-space',
  title: 'Check the free disk space',
  timeout: seconds(60),
  check: async (ctx): Promise<readonly Finding[]> => {
    const { facts } = ctx.host
    const byDisk = Map.groupBy(spaceOf(ctx.cluster.spec, ctx.host), ({ path }) => diskOf(facts, path))
    // What kubexm has put there already takes of the same space: a full disk is then worth a word, not a stop.
    const severity = (await sightOf(ctx)).owned.length > 0 ? 'warning' : 'error'
    return [...byDisk].flatMap(([disk, needs]) => {
      const need = needs.reduce((sum, { mib }) => sum + mib, 0)
      if (disk === null || disk.freeMiB >= need) return []
      const paths = needs.map(({ path }) => path).join(', ')
      return [finding('KX_DISK_TOO_SMALL', { mount: disk.mount, free: disk.freeMiB, need, paths }, severity)]
    })
  },
})

/** The disk a path lies on: the deepest mount above it. */
function diskOf({ disks }: Facts, path: string): Facts['disks'][number] | null {
  const above = disks.filter(({ mount }) => mount === '/' || path === mount || path.startsWith(`${mount}/`))
  return above.reduce<Facts['disks'][number] | null>(
    (deepest, disk) => (disk.mount.length > (deepest?.mount.length ?? 0) ? disk : deepest),
    null,
  )
}
