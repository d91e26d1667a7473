import { compareVersions, minorOf } from '../../../../config/catalogue/versions.ts'
import { type Finding, finding } from '../../../../event/index.ts'
import { defineCheck } from '../../../../step/index.ts'
import { seconds } from '../../../../util/time.ts'
import { ipvsModules, isOne, modulesOf } from './needs.ts'
import { mayRepair, sightOf } from './sight.ts'

export const kernelVersion = defineCheck({
  name: 'preflight.kernel',
  title: 'Check the version of the kernel',
  timeout: seconds(10),
  check: async ({ host: { facts }, cluster: { spec } }) => {
    const least = spec.preflight.minKernel
    return compareVersions(facts.kernel, least) >= 0 ? null : finding('KX_KERNEL_OLD', { kernel: facts.kernel, least }, 'error')
  },
})

export const kernelFeatures = defineCheck({
  name: 'preflight.kernel-features',
  title: 'Check that the kernel has what the config asks for',
  timeout: seconds(10),
  check: async ({ host, cluster: { spec } }): Promise<readonly Finding[]> => {
    const { kernel, family } = host.facts
    const needs = [
      { is: spec.kubernetes.proxyMode === 'nftables', feature: 'proxyMode nftables', least: '5.13', field: 'kubernetes.proxyMode' },
      { is: spec.network.plugin === 'cilium', feature: 'Cilium', least: '5.10', field: 'network.plugin' },
    ]
    // Red Hat puts newer features into old kernels: there the number proves nothing.
    const severity = family === 'rhel' ? 'warning' : 'error'
    return needs
      .filter(({ is, least }) => is && isOne(host, 'node') && compareVersions(kernel, least) < 0)
      .map(({ feature, least, field }) => finding('KX_KERNEL_FEATURE', { kernel, feature, least, field }, severity))
  },
})

export const kernelModules = defineCheck({
  name: 'preflight.kernel-modules',
  title: 'Check that the kernel modules can be loaded',
  timeout: seconds(60),
  check: async (ctx): Promise<readonly Finding[]> => {
    const { missingModules } = await sightOf(ctx)
    const { kernel } = ctx.host.facts
    const missing = modulesOf(ctx.cluster.spec).filter(({ module }) => missingModules.has(module))
    return missing.map(({ module, user }) => finding('KX_KERNEL_MODULE', { kernel, module, user }, 'error'))
  },
})

export const proxyMode = defineCheck({
  name: 'preflight.proxy-mode',
  title: 'Check that the kernel can do what kube-proxy is told to do',
  timeout: seconds(60),
  check: async (ctx) => {
    const { missingModules } = await sightOf(ctx)
    const missing = ipvsModules.filter((module) => missingModules.has(module))
    if (ctx.cluster.spec.kubernetes.proxyMode !== 'ipvs' || missing.length === 0) return null
    return finding('KX_IPVS_MODULES', { kernel: ctx.host.facts.kernel, modules: missing.join(', ') }, 'error')
  },
})

/** The first minor of Kubernetes whose kubelet refuses cgroup v1, and the first that has stopped caring for it. */
const refusesV1 = 35
const neglectsV1 = 31

export const cgroupVersion = defineCheck({
  name: 'preflight.cgroup-version',
  title: 'Check the version of cgroups',
  timeout: seconds(10),
  check: async ({ host, cluster: { spec } }) => {
    const { version, kubelet } = spec.kubernetes
    const minor = minorOf(version)
    if (host.facts.cgroup === 'v2' || minor < neglectsV1) return null
    if (minor < refusesV1 || kubelet.configuration.failCgroupV1 === false) return finding('KX_CGROUP_V1_AGING', {}, 'warning')
    return finding('KX_CGROUP_V1', { version }, 'error')
  },
})

export const cgroupDriver = defineCheck({
  name: 'preflight.cgroup-driver',
  title: 'Check the cgroup driver',
  timeout: seconds(10),
  check: async ({ host: { facts }, cluster: { spec } }) => {
    const clash = spec.kubernetes.kubelet.cgroupDriver === 'cgroupfs' && facts.init === 'systemd' && facts.cgroup === 'v2'
    return clash ? finding('KX_CGROUP_DRIVER', {}, 'warning') : null
  },
})

const neededControllers = ['cpu', 'cpuset', 'memory', 'pids']

export const cgroupControllers = defineCheck({
  name: 'preflight.cgroup-controllers',
  title: 'Check the cgroup controllers',
  timeout: seconds(60),
  check: async (ctx) => {
    const { code, stdout } = (await sightOf(ctx)).controllers
    const missing = neededControllers.filter((controller) => !stdout.trim().split(/\s+/).includes(controller))
    return code !== 0 || missing.length === 0 ? null : finding('KX_CGROUP_CONTROLLERS', { missing: missing.join(', ') }, 'error')
  },
})

export const selinux = defineCheck({
  name: 'preflight.selinux',
  title: 'Check SELinux',
  timeout: seconds(10),
  check: async (ctx) => {
    if (ctx.host.facts.selinux !== 'enforcing') return null
    const repaired = mayRepair(ctx) && ctx.cluster.spec.preflight.disableSelinux
    return finding(repaired ? 'KX_SELINUX_ENFORCING' : 'KX_SELINUX_KEPT', {}, 'warning')
  },
})

export const swap = defineCheck({
  name: 'preflight.swap',
  title: 'Check that swap is off',
  timeout: seconds(60),
  check: async (ctx) => {
    const { active } = (await sightOf(ctx)).swap
    const { preflight, kubernetes } = ctx.cluster.spec
    if (active.length === 0) return null
    const areas = active.join(', ')
    if (mayRepair(ctx) && preflight.disableSwap) return finding('KX_SWAP_ON', { areas }, 'warning')
    return kubernetes.kubelet.configuration.failSwapOn === false ? null : finding('KX_SWAP_KEPT', { areas }, 'error')
  },
})
