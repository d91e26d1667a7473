import { type Finding, finding } from '../../../../event/index.ts'
import { sh } from '../../../../runner/index.ts'
import type { Host } from '../../../../runtime/index.ts'
import { defineCheck } from '../../../../step/index.ts'
import { seconds } from '../../../../util/time.ts'
import { isOne, type PortNeed, portsOf } from './needs.ts'
import { isOurs, sightOf } from './sight.ts'

export const existingKubernetes = defineCheck({
  name: 'preflight.existing-kubernetes',
  title: 'Check that the host is in no other cluster',
  timeout: seconds(60),
  check: async (ctx) => {
    const sight = await sightOf(ctx)
    const { kubelet, kubeletConf, manifests, etcdData } = sight
    if (isOurs(sight, /kube(let|adm|rnetes)|etcd/)) return null
    const traces = [
      ...(kubelet.active === 'active' ? ['kubelet.service runs'] : []),
      ...(kubeletConf.type === 'absent' ? [] : ['/etc/kubernetes/kubelet.conf']),
      ...(manifests.type === 'directory' && !manifests.empty ? ['/etc/kubernetes/manifests'] : []),
      ...(isOne(ctx.host, 'etcd') && etcdData.type === 'directory' && !etcdData.empty ? [ctx.cluster.spec.etcd.dataDir] : []),
    ]
    return traces.length === 0 ? null : finding('KX_FOREIGN_KUBERNETES', { traces: traces.join(', ') }, 'error')
  },
})

const runtimes = ['containerd', 'docker', 'cri-o', 'isulad'] as const

/** Docker starts a containerd of its own on the same socket. */
const clashes = (one: string, other: string): boolean => one === other || [one, other].sort().join() === 'containerd,docker'

export const existingRuntime = defineCheck({
  name: 'preflight.existing-runtime',
  title: 'Check for a container runtime of somebody else',
  timeout: seconds(60),
  check: async (ctx): Promise<readonly Finding[]> => {
    const sight = await sightOf(ctx)
    const { type: wanted, containerd } = ctx.cluster.spec.kubernetes.containerRuntime
    const adopts = wanted === 'containerd' && containerd.existing === 'adopt'
    const foreign = runtimes.filter(
      (name) => sight[name].enabled !== 'not-found' && !isOurs(sight, new RegExp(name.replace('cri-o', 'crio'))),
    )
    return foreign.map((runtime) => {
      if (adopts && runtime === 'containerd') return finding('KX_RUNTIME_ADOPTED', { runtime }, 'warning')
      // Docker works on top of the containerd that is adopted.
      if (!clashes(runtime, wanted) || (adopts && foreign.includes('containerd')))
        return finding('KX_OTHER_RUNTIME', { runtime, wanted }, 'warning')
      return finding('KX_FOREIGN_RUNTIME', { runtime }, 'error')
    })
  },
})

export const freePorts = defineCheck({
  name: 'preflight.ports',
  title: 'Check that the ports the host needs are free',
  timeout: seconds(60),
  check: async (ctx): Promise<readonly Finding[]> => {
    const sight = await sightOf(ctx)
    return portsOf(ctx.cluster.spec, ctx.host).flatMap((need) => {
      const holder = holderOf(ctx.host, need)
      if (holder === undefined || (sight.owned.length > 0 && isExpected(holder.process, need.user))) return []
      // The kernel itself holds the port of a tunnel: on a node of ours that is the network plugin's.
      if (holder.process === null && isOurs(sight, /^node-traces /)) return []
      const process = holder.process === null ? 'an unknown program' : `${holder.process} (pid ${holder.pid})`
      return [finding('KX_PORT_TAKEN', { port: need.port, protocol: need.protocol, user: need.user, process }, 'error')]
    })
  },
})

const everywhere = new Set(['0.0.0.0', '::', '*'])

/** Who listens where this would have to: on the same address, or either of them on all. */
const holderOf = ({ facts }: Host, need: PortNeed): Host['facts']['listening'][number] | undefined =>
  facts.listening.find(
    ({ protocol, port, address }) =>
      protocol === need.protocol && port === need.port && (need.at === undefined || need.at === address || everywhere.has(address)),
  )

/** The kernel keeps 15 letters of a program's name; behind a registry's port stands whatever its containers are published by. */
const isExpected = (process: string | null, user: string): boolean =>
  process !== null &&
  (process === user.slice(0, 15) || (['registry', 'harbor'].includes(user) && /^(docker-proxy|nginx|registry)$/.test(process)))

/** Mean times of a synced write: beyond the first etcd complains, beyond the second it loses its leader under load. */
const slowMs = 10
const hopelessMs = 100
const writes = 100

export const etcdDisk = defineCheck({
  name: 'preflight.etcd-disk',
  title: 'Measure how fast the disk of etcd syncs',
  timeout: seconds(60),
  check: async (ctx) => {
    const { etcdData } = await sightOf(ctx)
    const { dataDir } = ctx.cluster.spec.etcd
    const directory = etcdData.type === 'absent' ? etcdData.existing : dataDir
    // A member that runs already shows by itself how fast its disk is, and does not like company there.
    if (etcdData.type !== 'absent' && !(etcdData.type === 'directory' && etcdData.empty)) return null
    const [probe] = await ctx.on.inspect(syncedWrites(directory))
    const ms = meanOf(probe)
    if (ms === null || ms <= slowMs) return null
    return finding('KX_ETCD_DISK_SLOW', { directory, ms: ms.toFixed(1), limit: slowMs }, ms > hopelessMs ? 'error' : 'warning')
  },
})

/** Records of the size etcd writes to its log, each synced; then the file goes again. */
function syncedWrites(directory: string) {
  const scratch = `${directory.replace(/\/$/, '')}/.kubexm-preflight`
  const limit = Math.ceil((writes * hopelessMs) / 1000) + 2
  return [
    {
      kind: 'command',
      command: sh`LC_ALL=C timeout ${limit} dd if=/dev/zero of=${scratch} bs=2300 count=${writes} oflag=dsync 2>&1`,
    },
    { kind: 'command', command: sh`rm -f -- ${scratch}` },
  ] as const
}

/** The mean in milliseconds; what ran into its limit is at least that slow; null where it could not be measured. */
function meanOf({ code, stdout }: { readonly code: number; readonly stdout: string }): number | null {
  if (code === 124) return hopelessMs + 1
  const total = /copied, ([\d.e-]+) s/.exec(stdout)?.[1]
  return code !== 0 || total === undefined ? null : (Number(total) * 1000) / writes
}
