import { describe } from 'vitest'
import { tryRows } from '../../../../../test/support/preflight.ts'
import { osProfiles } from '../../../../simulation/index.ts'

const debian = osProfiles['debian-12']
const rocky = osProfiles['rocky-8']
const swapped = { swapAreas: [{ path: '/swapfile', sizeMiB: 1024 }] }
const controllers = (text: string) => ({ files: { '/sys/fs/cgroup/cgroup.controllers': `${text}\n` } })
const on = (version: string, more = '') => `kubernetes: {version: ${version}${more}}`

describe('the kernel', () => {
  tryRows([
    {
      code: 'KX_KERNEL_OLD',
      severity: 'error',
      on: ['node1'],
      fires: { spec: "preflight: {minKernel: '5.15'}", node1: { os: 'debian-11' } },
      says: 'kernel 5.10.0-33 is older than 5.15',
      quiet: { node1: { os: 'centos-7' } },
    },
    {
      code: 'KX_KERNEL_FEATURE',
      severity: 'error',
      on: ['node2'],
      fires: { spec: 'kubernetes: {proxyMode: nftables}', node2: { os: 'debian-11' } },
      says: 'proxyMode nftables needs kernel 5.13',
      quiet: { spec: 'kubernetes: {proxyMode: iptables}', node2: { os: 'debian-11' } },
    },
    {
      code: 'KX_KERNEL_FEATURE',
      severity: 'warning',
      on: ['node2'],
      fires: { spec: 'network: {plugin: cilium}', node2: { os: rocky } },
      says: 'Cilium needs kernel 5.10',
      quiet: { spec: 'network: {plugin: cilium}', node2: { os: 'debian-11' } },
    },
    {
      code: 'KX_KERNEL_MODULE',
      severity: 'error',
      on: ['node2'],
      fires: { node2: { os: { ...debian, absentModules: ['br_netfilter'] } } },
      says: 'kernel 6.1.0-28 has no module br_netfilter, which Kubernetes needs',
      quiet: { node2: { os: { ...debian, builtinModules: ['br_netfilter', 'overlay'] } } },
    },
    {
      code: 'KX_IPVS_MODULES',
      severity: 'error',
      on: ['node3'],
      fires: { node3: { os: { ...debian, absentModules: ['ip_vs_rr', 'ip_vs_sh'] } } },
      says: 'has no ip_vs_rr, ip_vs_sh',
      quiet: { spec: 'kubernetes: {proxyMode: iptables}', node3: { os: { ...debian, absentModules: ['ip_vs'] } } },
    },
    {
      code: 'KX_CGROUP_V1',
      severity: 'error',
      on: ['node1'],
      fires: { spec: on('v1.35.0'), node1: { os: 'rocky-8' } },
      quiet: { spec: on('v1.35.0', ', kubelet: {configuration: {failCgroupV1: false}}'), node1: { os: 'rocky-8' } },
    },
    {
      code: 'KX_CGROUP_V1_AGING',
      severity: 'warning',
      on: ['node1'],
      fires: { spec: on('v1.34.4'), node1: { os: 'rocky-8' } },
      quiet: { spec: on('v1.30.4'), node1: { os: 'rocky-8' } },
    },
    {
      code: 'KX_CGROUP_DRIVER',
      severity: 'warning',
      on: ['node1', 'node2', 'node3'],
      fires: { spec: 'kubernetes: {kubelet: {cgroupDriver: cgroupfs}}' },
      quiet: { spec: 'kubernetes: {kubelet: {cgroupDriver: systemd}}' },
    },
    {
      code: 'KX_CGROUP_CONTROLLERS',
      severity: 'error',
      on: ['node2'],
      fires: { node1: controllers('cpuset cpu io memory hugetlb pids'), node2: controllers('cpuset cpu io pids') },
      says: 'controllers memory are off',
      quiet: { node2: controllers('cpuset cpu io memory pids rdma misc') },
    },
    {
      code: 'KX_SELINUX_ENFORCING',
      severity: 'warning',
      on: ['node1'],
      fires: { node1: { os: 'rocky-9' } },
      quiet: { node1: { os: { ...osProfiles['rocky-9'], selinux: 'permissive' } } },
    },
    {
      code: 'KX_SELINUX_KEPT',
      severity: 'warning',
      on: ['node1'],
      fires: { spec: 'preflight: {disableSelinux: false}', node1: { os: 'rocky-9' } },
      quiet: { spec: 'preflight: {disableSelinux: false}' },
    },
    {
      code: 'KX_SWAP_ON',
      severity: 'warning',
      on: ['node3'],
      fires: { node3: swapped },
      says: 'swap is on: /swapfile',
      quiet: { spec: 'preflight: {disableSwap: false}', node3: swapped },
    },
    {
      code: 'KX_SWAP_KEPT',
      severity: 'error',
      on: ['node3'],
      fires: { spec: 'preflight: {disableSwap: false}', node3: swapped },
      quiet: { spec: 'preflight: {disableSwap: false}\nkubernetes: {kubelet: {configuration: {failSwapOn: false}}}', node3: swapped },
    },
  ])
})
