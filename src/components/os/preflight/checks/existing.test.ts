import { describe, expect, it } from 'vitest'
import { ledgerOf, listener, preflightOf, tryRows } from '../../../../../test/support/preflight.ts'

const ledger = (...things: readonly string[]) => ({ '/var/lib/kubexm/ledger.jsonl': things.map((id) => ledgerOf('file', id)).join('') })
const dd = (seconds: number) => ({
  dd: `100+0 records in\n100+0 records out\n230000 bytes (230 kB, 225 KiB) copied, ${seconds} s, 1.0 MB/s\n`,
})

describe('what is on the host already', () => {
  tryRows([
    {
      code: 'KX_FOREIGN_KUBERNETES',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: {
        node1: { files: { '/var/lib/etcd/member/snap/db': 'x' } },
        node2: { units: ['kubelet'], files: { '/etc/kubernetes/kubelet.conf': 'x' } },
      },
      says: 'kubelet.service runs, /etc/kubernetes/kubelet.conf',
      quiet: {
        node1: { files: { '/var/lib/etcd/member/snap/db': 'x', ...ledger('/etc/systemd/system/etcd.service') } },
        node2: { units: ['kubelet'], files: ledger('/etc/systemd/system/kubelet.service') },
      },
    },
    {
      code: 'KX_FOREIGN_RUNTIME',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: { node1: { units: ['docker'] }, node2: { units: ['containerd'] } },
      says: 'containerd is on the host already',
      quiet: { node1: { units: ['crio'] }, node2: { units: ['containerd'], files: ledger('/etc/systemd/system/containerd.service') } },
    },
    {
      code: 'KX_OTHER_RUNTIME',
      severity: 'warning',
      on: ['node3'],
      fires: { node3: { units: ['crio'] } },
      says: 'cri-o is on the host as well',
      quiet: { node3: { units: ['docker'] } },
    },
    {
      code: 'KX_PORT_TAKEN',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: { node1: { processes: [listener('nginx', 6443)] }, node2: { processes: [listener('proxy', 10248, '::')] } },
      says: 'port 6443/tcp, which kube-apiserver needs, is held by nginx (pid 812)',
      quiet: {
        // Ports of other roles, other addresses and other protocols, and a program that kubexm has put there.
        node1: { processes: [listener('kube-controller', 10257)], files: ledger('/etc/kubernetes/manifests/kube-controller-manager.yaml') },
        node2: { processes: [listener('nginx', 6443), listener('proxy', 10248, '192.0.2.2'), listener('x', 10250, '0.0.0.0', 'udp')] },
        node3: { processes: [listener('systemd-resolve', 53, '127.0.0.53')] },
      },
    },
    {
      code: 'KX_ETCD_DISK_SLOW',
      severity: 'warning',
      on: ['node1'],
      fires: { node1: { says: dd(2.35) }, node2: { says: dd(2.35) } },
      says: '/var/lib takes 23.5 ms on average, etcd wants less than 10 ms',
      quiet: { node1: { says: dd(0.31) } },
    },
    {
      code: 'KX_ETCD_DISK_SLOW',
      severity: 'error',
      on: ['node1'],
      fires: { node1: { says: dd(10.2) } },
      quiet: { node1: { says: dd(10.2), files: { '/var/lib/etcd/member/snap/db': 'x', ...ledger('/etc/systemd/system/etcd.service') } } },
    },
  ])

  it('does not take a program for ours on a host kubexm has never changed', async () => {
    const { findings } = await preflightOf({ node1: { processes: [listener('etcd', 2379)] } })
    expect(findings.map(({ problem }) => problem)).toEqual(['port 2379/tcp, which etcd needs, is held by etcd (pid 812)'])
  })

  it('leaves no file behind where it measured the disk', async () => {
    const { fleet } = await preflightOf({ node1: { says: dd(0.3) } })
    expect(await fleet.runner('node1').files.list('/var/lib')).not.toContain('.kubexm-preflight')
  })
})
