import { describe, expect, it } from 'vitest'
import type { ClusterStatus } from '../app/index.ts'
import { renderCluster, renderNodes, renderStatus, statusJson } from './render-status.ts'

const healthy: ClusterStatus = {
  cluster: 'prod',
  type: 'kubexm',
  version: 'v1.34.4',
  endpoint: 'https://192.0.2.1:6443',
  etcdType: 'kubexm',
  at: new Date('2026-01-02T03:04:05Z'),
  hosts: [
    { name: 'm1', address: '192.0.2.1', roles: ['etcd', 'master'], problem: null },
    { name: 'w1', address: '192.0.2.2', roles: ['worker'], problem: null },
  ],
  apiServers: [{ host: 'm1', url: 'https://192.0.2.1:6443', version: 'v1.34.4', problem: null }],
  etcd: [{ host: 'm1', endpoint: 'https://192.0.2.1:2379', leader: true, version: '3.6.5', dbSize: 20_480, problem: null }],
  nodes: {
    items: [
      {
        name: 'm1',
        ready: true,
        schedulable: true,
        roles: ['control-plane'],
        version: 'v1.34.4',
        address: '192.0.2.1',
        runtime: 'containerd://2.1.4',
        problem: null,
      },
      {
        name: 'w1',
        ready: true,
        schedulable: false,
        roles: ['worker'],
        version: 'v1.34.4',
        address: '192.0.2.2',
        runtime: 'containerd://2.1.4',
        problem: null,
      },
    ],
    problem: null,
  },
  pods: { items: [], total: 5, problem: null },
  certificates: [
    { host: 'local', what: 'kubernetes/ca.crt', path: null, notAfter: new Date('2036-01-01T00:00:00Z'), daysLeft: 3650, problem: null },
    {
      host: 'm1',
      what: 'apiserver',
      path: '/etc/kubernetes/pki/apiserver.crt',
      notAfter: new Date('2027-01-02T00:00:00Z'),
      daysLeft: 364,
      problem: null,
    },
  ],
  drift: [
    { host: 'm1', looked: 90, drifted: [], problem: null },
    { host: 'w1', looked: 46, drifted: [], problem: null },
  ],
}

const [master, worker] = healthy.nodes.items as [ClusterStatus['nodes']['items'][number], ClusterStatus['nodes']['items'][number]]

/** The worker is off, a file of the master was changed, its certificate has ended. */
const ill: ClusterStatus = {
  ...healthy,
  hosts: healthy.hosts.map((host) => (host.name === 'w1' ? { ...host, problem: 'the connection was refused' } : host)),
  etcd: [{ host: 'm1', endpoint: 'https://192.0.2.1:2379', leader: null, version: null, dbSize: null, problem: 'deadline exceeded' }],
  nodes: { items: [master, { ...worker, ready: false, problem: 'Kubelet stopped posting\u001b[2J node status.' }], problem: null },
  pods: {
    items: [{ namespace: 'kube-system', name: 'coredns-1', problem: 'on w1: coredns ImagePullBackOff: no such image' }],
    total: 5,
    problem: null,
  },
  certificates: [
    ...healthy.certificates,
    {
      host: 'm1',
      what: 'etcd-peer',
      path: '/etc/etcd/pki/peer.crt',
      notAfter: new Date(0),
      daysLeft: -20_000,
      problem: 'it ended on 1970-01-01',
    },
    { host: 'w1', what: 'kubelet', path: '/etc/kubernetes/kubelet.conf', notAfter: null, daysLeft: null, problem: 'it is not there' },
    { host: 'w1', what: 'kubelet-server', path: '/x.crt', notAfter: null, daysLeft: null, problem: 'it is not there' },
  ],
  drift: [
    {
      host: 'm1',
      looked: 90,
      drifted: [{ kind: 'file', id: '/etc/hosts', difference: 'content changed', since: '2026-01-01T10:00:00Z', step: 'hosts-file.write' }],
      problem: null,
    },
  ],
}

const look = { color: false, columns: 110 }

describe('the state of a cluster', () => {
  it.each([
    ['healthy', healthy],
    ['ill', ill],
  ])('in words: %s', async (name, status) => {
    await expect(renderStatus(status, look)).toMatchFileSnapshot(`golden/status-${name}.txt`)
  })

  it('shows what cannot be asked as such', () => {
    const silent = { ...healthy, nodes: { items: [], problem: 'no API server answers' } }
    expect(renderStatus(silent, look)).toContain('✗ Nodes\n  ✗ no API server answers\n')
    expect(renderCluster(silent)).toMatch(/\?\s+not healthy\n$/)
  })

  it('brings nothing of what hosts say to the terminal that is not text', () => {
    expect(renderStatus(ill, look)).not.toContain('\u001b')
  })

  it('as tables', () => {
    expect(renderNodes(healthy)).toBe(
      [
        'NAME  STATUS                    ROLES          VERSION  ADDRESS    RUNTIME',
        'm1    Ready                     control-plane  v1.34.4  192.0.2.1  containerd://2.1.4',
        'w1    Ready,SchedulingDisabled  worker         v1.34.4  192.0.2.2  containerd://2.1.4',
        '',
      ].join('\n'),
    )
    expect(renderCluster(healthy)).toBe(
      [
        'NAME  TYPE    VERSION  ENDPOINT                API  ETCD  NODES  STATUS',
        'prod  kubexm  v1.34.4  https://192.0.2.1:6443  1/1  1/1   2/2    healthy',
        '',
      ].join('\n'),
    )
  })

  it('as data says whether all is well', () => {
    expect(JSON.parse(JSON.stringify(statusJson(healthy)))).toMatchObject({
      healthy: true,
      at: '2026-01-02T03:04:05.000Z',
      cluster: 'prod',
    })
    expect(statusJson(ill).healthy).toBe(false)
  })
})
