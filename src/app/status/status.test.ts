import { describe, expect, it } from 'vitest'
import type { Rehearsal } from '../../../test/support/rehearsal.ts'
import { type WholeCluster, withWholeCluster } from '../../../test/support/whole-cluster.ts'
import { fail } from '../../error/index.ts'
import { hostPaths } from '../../runner/index.ts'
import type { HostName } from '../../util/where.ts'
import { type ClusterStatus, isHealthy, isWell } from './index.ts'
import { statusOf } from './status.ts'
import { statusParts } from './types.ts'

const day = 86_400_000

/** Looks at a rehearsed cluster, days after it was made; some hosts cannot be reached. */
function look(
  { world, machines }: Rehearsal,
  { days = 0, lost = [] }: { days?: number; lost?: readonly HostName[] } = {},
): Promise<ClusterStatus> {
  for (const host of lost) machines.get(host)?.powerOff()
  const errors = lost.map(
    (host) => [host, fail('KX_CONNECTION_LOST', { address: 'there', why: 'timed out' }, { where: { host } })] as const,
  )
  return statusOf({ ...world, lost: new Map(errors), clock: { now: () => Date.now() + days * day } })
}

const ill = (status: ClusterStatus) => statusParts.filter((part) => !isWell(status, part))
const on = ({ world }: Rehearsal, host: HostName) => world.runner(host)

const binary: WholeCluster = { type: 'kubexm', etcd: 'kubexm', masters: 1 }
const three: WholeCluster = { type: 'kubexm', etcd: 'kubexm', masters: 3 }
const stacked: WholeCluster = { type: 'kubeadm', etcd: 'kubeadm', masters: 3 }

describe('the status of a cluster', () => {
  it.each([
    ['binaries and our etcd', binary],
    ['kubeadm and our etcd', { ...binary, type: 'kubeadm' } as const],
    ['kubeadm and its own etcd', stacked],
  ])('is healthy once it was created: %s', (_, shape) =>
    withWholeCluster(shape, async (rehearsal) => {
      const status = await look(rehearsal)
      expect(ill(status)).toEqual([])
      expect(isHealthy(status)).toBe(true)
      const masters = Array.from({ length: shape.masters }, (_one, i) => `m${i + 1}`)
      expect(status.apiServers.map(({ host, version }) => [host, version])).toEqual(masters.map((host) => [host, 'v1.34.4']))
      expect(status.etcd.filter(({ leader }) => leader === true)).toMatchObject([{ host: 'm1', version: '3.5.21', problem: null }])
      expect(status.etcd.every(({ dbSize }) => (dbSize ?? 0) > 0)).toBe(true)
      expect(status.nodes.items.map(({ name, ready, roles }) => [name, ready, roles])).toEqual([
        ...masters.map((host) => [host, true, ['control-plane']]),
        ['w1', true, ['worker']],
      ])
      expect(status.nodes.items[0]).toMatchObject({ version: 'v1.34.4', address: '192.0.2.1', runtime: 'containerd://2.0.4' })
      expect(status.pods.total).toBeGreaterThan(0)
      expect(status.certificates.map(({ what, host }) => `${what}@${host}`)).toEqual(
        expect.arrayContaining(['apiserver@m1', 'kubelet@w1', 'admin@m1', 'kubernetes/ca.crt@local']),
      )
      expect(status.drift.map(({ host, looked }) => [host, looked > 20])).toEqual([...masters, 'w1'].map((host) => [host, true]))
    }),
  )

  it('names what a member that stopped leaves behind, and goes on with the others', () =>
    withWholeCluster(three, async (rehearsal) => {
      await on(rehearsal, 'm2').services.stop('etcd')
      const status = await look(rehearsal)
      expect(ill(status)).toEqual(['etcd', 'drift'])
      expect(status.etcd.map(({ problem }) => problem)).toEqual([null, 'context deadline exceeded', null])
      expect(status.drift[1]?.drifted).toMatchObject([
        { kind: 'service', id: 'etcd.service', difference: 'active is inactive, was active' },
      ])
    }))

  it('says which check of an API server fails, and tells what else can be told, when etcd has lost its majority', () =>
    withWholeCluster(three, async (rehearsal) => {
      for (const host of ['m2', 'm3']) await on(rehearsal, host).services.stop('etcd')
      const status = await look(rehearsal)
      expect(status.apiServers.map(({ problem }) => problem)).toEqual(Array(3).fill('not ready: etcd'))
      expect(status.etcd.filter(({ problem }) => problem === null)).toEqual([])
      expect(status.nodes.items).toHaveLength(4)
    }))

  it('names a host that is gone, with all that is gone with it', () =>
    withWholeCluster(stacked, async (rehearsal) => {
      const status = await look(rehearsal, { lost: ['m1'] })
      expect(status.hosts.filter(({ problem }) => problem !== null).map(({ name }) => name)).toEqual(['m1'])
      // The others are asked about it: they may reach what this machine does not.
      expect(status.apiServers.map(({ problem }) => problem)).toEqual([expect.stringContaining('refused'), null, null])
      expect(status.etcd.map(({ problem }) => problem)).toEqual(['context deadline exceeded', null, null])
      expect(status.nodes.items.filter(({ ready }) => !ready)).toMatchObject([
        { name: 'm1', problem: 'Kubelet stopped posting node status.' },
      ])
      expect(status.drift.map(({ host }) => host)).toEqual(['m2', 'm3', 'w1'])
    }))

  it('names a host that stops answering while it is asked', () =>
    withWholeCluster(three, async (rehearsal) => {
      rehearsal.machines.get('m1')?.cutNetwork()
      const status = await look(rehearsal)
      expect(status.apiServers[0]?.problem).toContain('the network is cut')
      expect(status.drift[0]?.problem).toContain('the network is cut')
      expect(status.nodes.items).toHaveLength(4)
    }))

  it('tells what it saw where no API server answers', () =>
    withWholeCluster(binary, async (rehearsal) => {
      await on(rehearsal, 'm1').services.stop('kube-apiserver')
      const status = await look(rehearsal)
      expect(ill(status)).toEqual(['apiServers', 'nodes', 'pods', 'drift'])
      expect([status.nodes.problem, status.pods.problem]).toEqual(['no API server answers', 'no API server answers'])
    }))

  it('explains nodes and pods that are not up', () =>
    withWholeCluster(binary, async (rehearsal) => {
      await on(rehearsal, 'w1').services.stop('kubelet')
      const status = await look(rehearsal)
      expect(status.nodes.items.map(({ name, problem }) => [name, problem])).toEqual([
        ['m1', null],
        ['w1', expect.stringMatching(/\S/)],
      ])
      expect(status.pods.items).toMatchObject([{ namespace: 'kube-flannel', problem: expect.stringContaining('on w1') }])
    }))

  it('names files that were changed, removed or made readable, with the step that wrote them', () =>
    withWholeCluster(binary, async (rehearsal) => {
      const worker = on(rehearsal, 'w1')
      await worker.files.write('/etc/systemd/system/kubelet.service', '[Service]\n', { mode: '0644' })
      await worker.files.remove('/etc/kubernetes/kubelet.conf')
      await worker.files.setAttributes('/etc/kubernetes/pki/kubelet-server.key', { mode: '0644' })
      await worker.files.remove('/usr/local/bin/runc')
      const status = await look(rehearsal)
      const found = status.drift.find(({ host }) => host === 'w1')?.drifted ?? []
      expect(Object.fromEntries(found.map(({ id, difference }) => [id, difference]))).toMatchObject({
        '/etc/systemd/system/kubelet.service': 'content changed',
        '/etc/kubernetes/kubelet.conf': 'missing',
        '/etc/kubernetes/pki/kubelet-server.key': 'mode is 0644, was 0600',
      })
      expect(found.find(({ id }) => id === '/etc/kubernetes/kubelet.conf')?.step).toMatch(/kubelet/)
      expect(status.certificates.filter(({ problem }) => problem !== null)).toMatchObject([
        { host: 'w1', what: 'kubelet', problem: 'it is not there' },
      ])
    }))

  it.each([
    [340, /^it ends on \d{4}-\d\d-\d\d$/],
    [366, /^it ended on \d{4}-\d\d-\d\d$/],
  ])('says after %i days which certificates end', (days, said) =>
    withWholeCluster(binary, async (rehearsal) => {
      const { certificates } = await look(rehearsal, { days })
      const placed = certificates.find(({ host, what }) => host === 'm1' && what === 'apiserver')
      expect(placed?.problem).toMatch(said)
      expect(certificates.find(({ what }) => what === 'kubernetes authority')?.problem).toBe(null)
    }),
  )

  it('tells a ledger that is damaged from one that is not there', () =>
    withWholeCluster(binary, async (rehearsal) => {
      await on(rehearsal, 'm1').files.append(hostPaths.ledger, '{"key": nonsense}\n')
      await on(rehearsal, 'w1').files.remove(hostPaths.ledger)
      const { drift } = await look(rehearsal)
      expect(drift.map(({ problem }) => problem)).toEqual([expect.stringContaining('ledger'), 'kubexm has made nothing here'])
    }))
})
