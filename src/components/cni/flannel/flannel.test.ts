import { describe, expect, it } from 'vitest'
import { conforms } from '../../../../test/conformance/conforms.ts'
import { errorsOf, leavesNoObjects } from '../../../../test/support/cluster-objects.ts'
import { clusterOf, smallCluster } from '../../../../test/support/clusters.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { withControlPlane } from '../../../../test/support/simulated-services.ts'
import type { Cluster } from '../../../config/index.ts'
import { artifactsFor, builtInCatalogue, shapeOf } from '../../../resource/index.ts'
import { withoutObject } from '../../../simulation/cluster-state.ts'
import { flannel } from './index.ts'
import { type FlannelSettings, flannelYaml } from './templates.ts'

const images = ['ghcr.io/flannel-io/flannel:v0.26.7', 'ghcr.io/flannel-io/flannel-cni-plugin:v1.6.2-flannel1']
const scenario = {
  ...smallCluster('network: {plugin: flannel}'),
  os: ['debian-12'] as const,
  before: (rehearsal: Rehearsal) => withControlPlane(rehearsal, images),
}

conforms(flannel, scenario)
leavesNoObjects(flannel, scenario)

it('waits for every node, in vain where one of the images is on none', async () => {
  const [error] = await errorsOf(flannel, { ...scenario, before: (rehearsal) => withControlPlane(rehearsal, images.slice(0, 1)) })
  expect(error).toMatchObject({
    code: 'KX_STEP_TIMEOUT',
    seen: expect.stringContaining('0 of 3 pods of daemonset kube-flannel/kube-flannel-ds are available'),
  })
})

it('waits for nodes that have not registered yet', async () => {
  const before = async (rehearsal: Rehearsal): Promise<void> => {
    await withControlPlane(rehearsal, images)
    rehearsal.simulated.state = withoutObject(rehearsal.simulated.state, 'Node//node3')
  }
  const [error] = await errorsOf(flannel, { ...scenario, before })
  expect(error).toMatchObject({ code: 'KX_STEP_TIMEOUT', seen: '2 of 3 pods of daemonset kube-flannel/kube-flannel-ds are available' })
})

it.each(['none', 'calico'])('is not part of the plan where the plugin is %s', async (plugin) => {
  const errors = await errorsOf(flannel, { ...smallCluster(`network: {plugin: ${plugin}}`), os: ['debian-12'] })
  expect(errors).toEqual([])
})

const settings: FlannelSettings = {
  images: { daemon: 'ghcr.io/flannel-io/flannel:v0.26.7', plugin: 'ghcr.io/flannel-io/flannel-cni-plugin:v1.6.2-flannel1' },
  podRanges: ['10.233.64.0/18'],
  backend: { type: 'vxlan', vni: 1, port: 8472, directRouting: false },
  nftables: false,
  cniConfig: '/etc/cni/net.d',
  cniPlugins: '/opt/cni/bin',
  api: { host: 'lb.kubexm.local', port: 6443 },
}

describe('the manifest', () => {
  it.each<[name: string, over: Partial<FlannelSettings>]>([
    ['vxlan', {}],
    ['host-gw', { backend: { type: 'host-gw' }, nftables: true }],
    ['dual-stack', { podRanges: ['10.233.64.0/18', 'fd85:ee78:d8a6:8607::1:0/112'] }],
    ['ipv6', { podRanges: ['fd85:ee78:d8a6:8607::1:0/112'], backend: { type: 'wireguard' } }],
  ])('for %s', async (name, over) => {
    await expect(flannelYaml({ ...settings, ...over })).toMatchFileSnapshot(`golden/${name}.yaml`)
  })

  it('makes other pods of other settings, and only then', () => {
    const mark = (over: Partial<FlannelSettings>): string => /configuration: (\w+)/.exec(flannelYaml({ ...settings, ...over }))?.[1] ?? ''
    expect(mark({})).not.toBe('')
    expect(mark({ images: { daemon: 'a', plugin: 'b' } })).toBe(mark({}))
    expect(mark({ nftables: true })).not.toBe(mark({}))
  })
})

const imagesOf = (cluster: Cluster): readonly string[] =>
  artifactsFor(
    shapeOf(cluster, () => 'amd64'),
    builtInCatalogue,
  )
    .flatMap((artifact) => (artifact.kind === 'image' && artifact.image.includes('flannel') ? [artifact.image] : []))
    .sort()

describe('the version', () => {
  it('is the one the catalogue has, unless the config says another', () => {
    expect(imagesOf(smallCluster('network: {plugin: flannel}').cluster)).toEqual([...images].sort())
    expect(imagesOf(smallCluster('network: {plugin: flannel, flannel: {version: 0.27.4}}').cluster)).toEqual([
      'ghcr.io/flannel-io/flannel-cni-plugin:v1.8.0-flannel1',
      'ghcr.io/flannel-io/flannel:v0.27.4',
    ])
  })

  it('of a network that is left to the user has no images', () => {
    expect(imagesOf(smallCluster('network: {plugin: none}').cluster)).toEqual([])
  })
})

it('refuses a backend whose key everybody could read', () => {
  expect(() => clusterOf(textWith('ipsec'))).toThrow('ipsec')
  expect(clusterOf(textWith('wireguard')).spec.network.flannel.backend.type).toBe('wireguard')
})

const textWith = (backend: string): string => `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts: [{name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}]
  roleGroups: {etcd: [node1], master: [node1], worker: [node1]}
  network: {plugin: flannel, flannel: {backend: {type: ${backend}}}}`
