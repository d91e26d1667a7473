import { describe, expect, it } from 'vitest'
import { ledgerOf, preflightOf, tryRows } from '../../../../../test/support/preflight.ts'
import { osProfiles } from '../../../../simulation/index.ts'

const debian = osProfiles['debian-12']

describe('the machine itself', () => {
  it('finds nothing wrong with three good hosts, and changes nothing', async () => {
    const { findings, planned, fleet } = await preflightOf({})
    expect({ findings, planned, mutations: fleet.mutations() }).toEqual({ findings: [], planned: [], mutations: [] })
  })

  tryRows([
    {
      code: 'KX_OS_UNSUPPORTED',
      severity: 'error',
      on: ['node2'],
      fires: { node2: { os: { ...debian, id: 'arch', name: 'Arch Linux', family: 'unknown' } } },
      says: 'Arch Linux',
      quiet: { node2: { os: 'rocky-9' } },
    },
    {
      code: 'KX_OS_UNTESTED',
      severity: 'warning',
      on: ['node3'],
      fires: { node3: { os: { ...debian, id: 'devuan', idLike: ['debian'], name: 'Devuan 5' } } },
      says: 'treated as one of the debian family',
      quiet: { node1: { os: 'openeuler-22.03' }, node2: { os: 'kylin-v10' }, node3: { os: 'ubuntu-24.04' } },
    },
    {
      code: 'KX_ARCH_UNSUPPORTED',
      severity: 'error',
      on: ['node1'],
      fires: { node1: { arch: 'riscv64' } },
      quiet: { node1: { arch: 'arm64' } },
    },
    {
      code: 'KX_ARCH_MISMATCH',
      severity: 'error',
      on: ['node2'],
      fires: { node2: { asked: { arch: 'arm64' } } },
      says: 'is amd64, the config says arm64',
      quiet: { node2: { asked: { arch: 'arm64' }, arch: 'arm64' } },
    },
    {
      code: 'KX_NO_SYSTEMD',
      severity: 'error',
      on: ['node1'],
      fires: { node1: { facts: { init: 'init' } } },
      quiet: {},
    },
    {
      code: 'KX_CPU_TOO_FEW',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: { node1: { cpus: 1 }, node2: { cpus: 1 } },
      says: '1 CPU, at least 2 are needed for worker',
      quiet: { node1: { cpus: 2 }, node2: { cpus: 1 }, spec: 'preflight: {minCPUCores: 1}' },
    },
    {
      code: 'KX_MEMORY_TOO_SMALL',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: { node1: { memoryMiB: 2048 }, node2: { memoryMiB: 1024 }, node3: { memoryMiB: 2048 } },
      quiet: { node1: { memoryMiB: 3890 }, node2: { memoryMiB: 1940 } },
    },
    {
      code: 'KX_DISK_TOO_SMALL',
      severity: 'error',
      on: ['node1'],
      fires: { node1: { diskMiB: 11_000 }, node2: { diskMiB: 11_000 } },
      says: 'MiB are needed for /, /var/lib/containerd, /var/lib/kubelet, /var/lib/etcd',
      quiet: { node1: { diskMiB: 12_000 } },
    },
    {
      code: 'KX_DISK_TOO_SMALL',
      severity: 'warning',
      on: ['node2'],
      fires: { node2: { diskMiB: 4000, files: { '/var/lib/kubexm/ledger.jsonl': ledgerOf('file', '/etc/hosts') } } },
      quiet: { node2: { diskMiB: 10_000 } },
    },
  ])

  it('looks at the disk a directory lies on', async () => {
    const disk = (mount: string, freeMiB: number) => ({ mount, device: '/dev/vd', type: 'ext4', sizeMiB: 50_000, freeMiB })
    const disks = [disk('/', 3000), disk('/var', 20_000), disk('/var/lib/containerd', 4000)]
    const { findings } = await preflightOf({ node2: { facts: { disks } } })
    expect(findings.map(({ problem }) => problem)).toEqual([
      '/var/lib/containerd has 4000 MiB free, 5120 MiB are needed for /var/lib/containerd',
    ])
  })
})
