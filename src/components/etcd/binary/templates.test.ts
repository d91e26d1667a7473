import { describe, expect, it } from 'vitest'
import { clusterOf } from '../../../../test/support/clusters.ts'
import { etcdUrls, hostsOf } from '../../../config/index.ts'
import { authorityPaths, certificatePaths } from '../../../step/generic/certificate.ts'
import { bootstrapEnvironment, dataDirectories, etcdctlEnvironment, etcdUnit, type MemberFiles, memberCommand } from './templates.ts'

const files: MemberFiles = {
  authority: authorityPaths('etcd', 'etcd-member').cert,
  server: certificatePaths('etcd-server'),
  peer: certificatePaths('etcd-peer'),
  admin: certificatePaths('etcd-admin'),
}

const three = (etcd = 'version: v3.6.5', { first = '192.0.2.1', members = '["node[1:3]"]' } = {}) =>
  clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, internalAddress: "${first}", privateKeyPath: ~/.ssh/id_ed25519}
  - {name: node2, address: 192.0.2.2, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: node3, address: 192.0.2.3, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {etcd: ${members}, master: [node1], worker: ["node[2:3]"]}
  etcd: {${etcd}}`)

type Made = ReturnType<typeof three>
const firstOf = (cluster: Made) => hostsOf(cluster)[0] as ReturnType<typeof hostsOf>[number]
const unitOf = (cluster: Made): string => etcdUnit(memberCommand(cluster, firstOf(cluster), files), dataDirectories(cluster))
const bootstrapOf = (cluster: Made): string => bootstrapEnvironment(cluster, firstOf(cluster))

describe('the files of a member', () => {
  it.each(['v3.5.16', 'v3.6.5'])('are a unit for %s', async (version) => {
    await expect(unitOf(three(`version: ${version}`))).toMatchFileSnapshot(`golden/etcd-${version}.service`)
  })

  it('are how the cluster was formed, and how to ask it', async () => {
    const cluster = three()
    await expect(bootstrapOf(cluster)).toMatchFileSnapshot('golden/bootstrap.env')
    await expect(etcdctlEnvironment(etcdUrls(cluster), files)).toMatchFileSnapshot('golden/etcdctl.env')
  })

  it('put IPv6 addresses in brackets, and use the ports of the config', () => {
    const cluster = three('clientPort: 12379, peerPort: 12380', { first: 'fd00::1,192.0.2.1' })
    expect(unitOf(cluster)).toContain('"--listen-client-urls=https://[fd00::1]:12379,https://127.0.0.1:12379"')
    expect(unitOf(cluster)).toContain('"--listen-peer-urls=https://[fd00::1]:12380"')
    expect(bootstrapOf(cluster)).toContain('"node1=https://[fd00::1]:12380,node2=https://192.0.2.2:12380')
  })

  it('let etcd write to a disk for its log, if it has one', () => {
    const unit = unitOf(three('dataDir: /data/etcd, extraArgs: {wal-dir: /log/etcd}'))
    expect(unit).toContain('RequiresMountsFor=/data/etcd /log/etcd\n')
    expect(unit).toContain('ReadWritePaths=/data/etcd\nReadWritePaths=/log/etcd\n')
  })

  it('say nothing twice that the user says himself, and quote what needs it', () => {
    const cluster = three('clusterToken: \'a "b" $c\', extraArgs: {initial-cluster-state: existing}')
    expect(bootstrapOf(cluster)).not.toContain('STATE')
    expect(unitOf(cluster)).toContain('--initial-cluster-state=existing')
    expect(bootstrapOf(cluster)).toContain('ETCD_INITIAL_CLUSTER_TOKEN="a \\"b\\" \\$c"\n')
  })

  it('do not change for the members that are there when one is added', () => {
    expect(unitOf(three(undefined, { members: '[node1]' }))).toBe(unitOf(three()))
  })
})
