import { describe, expect, it } from 'vitest'
import { clusterOf } from '../../test/support/clusters.ts'
import { membershipOf, movedFields } from './kept-fields.ts'

const config = (spec: readonly string[]): string =>
  [
    'apiVersion: kubexm.mensylisir.io/v1alpha1',
    'kind: Cluster',
    'metadata: {name: test}',
    'spec:',
    '  hosts:',
    '  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}',
    '  - {name: node2, address: 192.0.2.2, privateKeyPath: ~/.ssh/id_ed25519}',
    '  roleGroups: {master: [node1], worker: [node2]}',
    ...spec.map((line) => `  ${line}`),
  ].join('\n')

/** What is said about a config on a cluster that was made with another one. */
const moved = (before: readonly string[], after: readonly string[]) =>
  movedFields(clusterOf(config(after)), membershipOf(clusterOf(config(before)), 'aa'))

describe('what a cluster keeps', () => {
  it('is as the config says when that is the one it was made with', () => {
    expect(moved([], [])).toEqual([])
    const { has } = membershipOf(clusterOf(config([])), 'aa')
    expect(Object.keys(has).length).toBeGreaterThan(14)
    expect(JSON.stringify(has)).not.toMatch(/undefined|null/)
  })

  it('says what, where, what was seen and what to do', () => {
    expect(moved(['kubernetes:', '  version: v1.33.5'], ['kubernetes:', '  type: kubeadm', '  version: v1.34.2'])).toEqual([
      {
        field: 'spec.kubernetes.version',
        place: 'test.yaml:11:14',
        wanted: 'v1.34.2',
        seen: 'v1.33.5',
        how: 'write version: v1.33.5, or run "kubexm upgrade cluster --to v1.34.2", which goes one node after another',
      },
    ])
  })

  it.each([
    ['spec.kubernetes.type', 'kubernetes: {type: kubeadm}', 'kubernetes: {type: kubexm}'],
    [
      'spec.kubernetes.clusterName',
      'kubernetes: {clusterName: a.local, dnsDomain: x.local}',
      'kubernetes: {clusterName: b.local, dnsDomain: x.local}',
    ],
    ['spec.kubernetes.dnsDomain', 'kubernetes: {}', 'kubernetes: {dnsDomain: other.local}'],
    ['spec.kubernetes.containerRuntime.type', 'kubernetes: {}', 'kubernetes: {containerRuntime: {type: cri-o}}'],
    ['spec.kubernetes.apiServer.etcdPrefix', 'kubernetes: {}', 'kubernetes: {apiServer: {etcdPrefix: /other}}'],
    ['spec.controlPlaneEndpoint.port', 'controlPlaneEndpoint: {}', 'controlPlaneEndpoint: {port: 7443}'],
    ['spec.etcd.dataDir', 'etcd: {}', 'etcd: {dataDir: /data/etcd}'],
    ['spec.etcd.clientPort', 'etcd: {}', 'etcd: {clientPort: 12379}'],
    ['spec.etcd.peerPort', 'etcd: {}', 'etcd: {peerPort: 12380}'],
    ['spec.network.kubePodsCIDR', 'network: {}', 'network: {kubePodsCIDR: 10.99.0.0/16}'],
    ['spec.network.kubeServiceCIDR', 'network: {}', 'network: {kubeServiceCIDR: 10.98.0.0/16}'],
    ['spec.network.plugin', 'network: {plugin: flannel}', 'network: {plugin: none}'],
  ])('%s', (field, before, after) => {
    const fields = moved([before], [after])
    // Without kubeadm the port is written anew everywhere: only that row says less.
    expect(fields.filter((one) => one.field !== 'spec.controlPlaneEndpoint.port' || field === one.field).map((one) => one.field)).toEqual([
      field,
    ])
    expect(fields[0]?.place).toMatch(/^test\.yaml:9:\d+$/)
  })

  it('etcd that others run has no directory and no ports here', () => {
    const fields = moved(['etcd: {}'], ['etcd: {type: external, external: {endpoints: ["http://192.0.2.9:2379"]}}'])
    expect(fields.map(({ field }) => field)).toEqual(['spec.etcd.type'])
  })

  it.each([
    ['begun', '', 'encryption: {enabled: true}', 0],
    ['extended', 'encryption: {enabled: true}', 'encryption: {enabled: true, resources: [configmaps, secrets]}', 0],
    ['ended', 'encryption: {enabled: true}', '', 1],
    ['done otherwise', 'encryption: {enabled: true}', 'encryption: {enabled: true, provider: aescbc}', 1],
    ['narrowed', 'encryption: {enabled: true, resources: [configmaps, secrets]}', 'encryption: {enabled: true}', 1],
  ])('encryption at rest that is %s', (_, before, after, count) => {
    const inConfig = (text: string) => [`kubernetes: {apiServer: {${text}}}`]
    expect(moved(inConfig(before), inConfig(after))).toHaveLength(count)
  })

  it('members of etcd, in whatever order they are written', () => {
    const members = (list: string) => clusterOf(config([]).replace('roleGroups: {', `roleGroups: {etcd: [${list}], `))
    expect(movedFields(members('node2, node1'), membershipOf(members('node1, node2'), 'aa'))).toEqual([])
    expect(movedFields(members('node1'), membershipOf(members('node1, node2'), 'aa'))).toMatchObject([
      {
        field: 'spec.roleGroups.etcd',
        seen: 'node1, node2',
        place: 'test.yaml:8:22',
        how: expect.stringContaining('write etcd: [node1, node2]'),
      },
    ])
  })

  it('nothing a host does not know of', () => {
    expect(movedFields(clusterOf(config(['kubernetes: {version: v1.31.0}'])), { cluster: 'test', authority: '', has: {} })).toEqual([])
  })
})
