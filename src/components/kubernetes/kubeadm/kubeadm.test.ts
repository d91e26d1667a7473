import { describe, expect, it } from 'vitest'
import { conforms, properties, type Scenario, Subject, withCreated } from '../../../../test/conformance/conforms.ts'
import { together } from '../../../../test/conformance/together.ts'
import { smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { having, hostOf, kubeadmCluster, readyForKubeadm, wholeCluster } from '../../../../test/support/kubeadm.ts'
import { nodeTraces } from '../node/index.ts'
import { initControlPlane, installKubeadm, joinControlPlanes, joinWorkers } from './index.ts'

const firstMaster = together(nodeTraces, installKubeadm, initControlPlane)
const one = { masters: 1, workers: 0 }
const three = { masters: 3, workers: 0 }

conforms(firstMaster, { ...kubeadmCluster(one), before: readyForKubeadm, os: ['rocky-9'] })
conforms(initControlPlane, { ...kubeadmCluster({ ...one, etcd: 'kubexm' }), before: having(installKubeadm), os: ['debian-12'] })
conforms(joinControlPlanes, { ...kubeadmCluster(three), before: having(installKubeadm, initControlPlane), os: ['debian-12'] })
conforms(joinControlPlanes, {
  ...kubeadmCluster({ ...three, version: 'v1.30.14' }),
  before: having(installKubeadm, initControlPlane),
  os: ['debian-12'],
})
conforms(joinControlPlanes, {
  ...kubeadmCluster({ ...three, etcd: 'kubexm', version: 'v1.30.14' }),
  before: having(installKubeadm, initControlPlane),
  os: ['debian-12'],
})
conforms(joinWorkers, {
  ...kubeadmCluster({ masters: 1, workers: 2 }),
  before: having(installKubeadm, initControlPlane),
  os: ['debian-12'],
})

describe.each([
  ['one master with stacked etcd', { masters: 1, workers: 2 }],
  ['three masters with stacked etcd', { masters: 3, workers: 2 }],
  ['three masters with an etcd of their own, v1.30', { masters: 3, workers: 2, etcd: 'kubexm', version: 'v1.30.14' }],
  ['three masters with an etcd of their own, v1.37', { masters: 3, workers: 1, etcd: 'kubexm', version: 'v1.37.1' }],
] as const)('%s', (_, shape) => {
  const scenario: Scenario = {
    ...kubeadmCluster(shape, 'apiServer: {audit: {enabled: true}, encryption: {enabled: true}}'),
    before: readyForKubeadm,
  }
  const subjectIn = (directory: string): Subject => new Subject(wholeCluster, scenario, 'debian-12', directory)

  it.each(Object.keys(properties).filter((name) => !/fault|killed/.test(name)) as (keyof typeof properties)[])('%s', (name) =>
    inTemporaryDirectory((directory) => properties[name](subjectIn(directory))),
  )

  it('is a cluster whose hosts ask the right API, and keeps nothing to join with', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await subjectIn(directory).created()
      const { objects, members, tokens } = rehearsal.simulated.state
      const nodes = [...objects.values()].filter(({ kind }) => kind === 'Node')
      expect(nodes.map(({ metadata }) => metadata.name).sort()).toEqual(rehearsal.hosts.map(({ name }) => name))
      expect(members.filter(({ host }) => host !== null)).toHaveLength('etcd' in shape ? 0 : shape.masters)
      expect(tokens.size).toBe(0)
      for (const { name, roles, address } of rehearsal.hosts) {
        const files = hostOf(rehearsal, name).files
        const server = roles.includes('master') ? `https://${address}:6443` : 'https://lb.kubexm.local:6443'
        expect(await files.read('/etc/kubernetes/kubelet.conf')).toContain(`server: ${server}\n`)
        if (roles.includes('master')) expect(await files.read('/etc/kubernetes/admin.conf')).toContain(`server: ${server}\n`)
        expect(await files.list('/etc/kubernetes')).not.toContain('kubexm-join.conf')
        expect(await files.read('/etc/kubernetes/pki/ca.crt')).toBe((await rehearsal.pki.authority('kubernetes')).cert)
      }
      expect(objects.has('DaemonSet/kube-system/kube-proxy')).toBe(true)
      expect(objects.has('Deployment/kube-system/coredns')).toBe(false)
    }))
})

it('takes away what it kept on disks that were there before, and leaves the disks', () =>
  inTemporaryDirectory(async (directory) => {
    const before: Scenario['before'] = async (rehearsal) => {
      await readyForKubeadm(rehearsal)
      await rehearsal.prepare(async ({ files }) => {
        for (const path of ['/var/lib/etcd', '/var/lib/kubelet']) await files.makeDirectory(path, { mode: '0755' })
        await files.write('/var/lib/kubelet/of-somebody', 'else\n', { mode: '0644' })
      })
    }
    const scenario = { ...kubeadmCluster({ masters: 1, workers: 1 }), before }
    await properties['create, then delete, leaves no trace'](new Subject(wholeCluster, scenario, 'debian-12', directory))
  }))

describe('what kubeadm is told', () => {
  const spec = `registry: {type: external, privateRegistry: "hub.example.com:5000", namespaceOverride: mirrored}`
  const patch =
    'kubeadm: {patches: [{target: etcd, patch: {spec: {priority: 1}}}, {target: kubeletconfiguration, type: merge, patch: {maxPods: 7}}]}'
  const scenario = { ...kubeadmCluster({ masters: 1, workers: 1 }, patch, spec), before: readyForKubeadm }

  it('names images as the private registry has them, and brings the patches in their order', () =>
    withCreated(installKubeadm, scenario, 'debian-12', async (rehearsal) => {
      const { files } = hostOf(rehearsal, 'm1')
      const config = (await files.read('/etc/kubernetes/kubeadm-config.yaml')) ?? ''
      expect(config).toContain('\nimageRepository: hub.example.com:5000/mirrored\n')
      expect(config).toContain('    imageRepository: hub.example.com:5000/mirrored\n    imageTag: 3.6.5-0\n')
      expect(await files.list('/etc/kubernetes/patches')).toEqual([
        'etcd000+strategic.json',
        'kubeletconfiguration+merge.json',
        'kubeletconfiguration001+merge.json',
      ])
      expect(await files.read('/etc/kubernetes/patches/kubeletconfiguration001+merge.json')).toBe('{"maxPods":7}\n')
      expect(await files.list('/etc/kubernetes')).not.toContain('kubeadm-join.yaml')
      expect(await hostOf(rehearsal, 'w1').files.list('/etc/kubernetes')).not.toContain('kubeadm-config.yaml')
    }))

  it('is nothing where kubexm installs the binaries itself', () =>
    inTemporaryDirectory(async (directory) => {
      const binary = smallCluster('kubernetes: {type: kubexm, version: v1.34.4}')
      for (const task of [installKubeadm, initControlPlane, joinControlPlanes, joinWorkers]) {
        const subject = new Subject(task, binary, 'debian-12', directory)
        expect((await subject.rehearsal()).plan(subject.create).nodes).toEqual([])
      }
    }))

  it.each([
    ['kubeadm', 'v1.34.4', 'kubeadm.start', 'kubeadm.start@m2'],
    ['kubeadm', 'v1.30.14', 'kubeadm.join', 'kubeadm.api-server@m2'],
    ['kubexm', 'v1.34.4', 'kubeadm.start', ':begin'],
    ['kubexm', 'v1.30.14', 'kubeadm.join', ':begin'],
  ] as const)('lets a master enter an etcd of %s alone if that is stacked (%s)', (etcd, version, step, before) =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(joinControlPlanes, { ...kubeadmCluster({ ...three, etcd, version }) }, 'debian-12', directory)
      const { nodes } = (await subject.rehearsal()).plan(subject.create)
      expect(nodes.find(({ id }) => id.endsWith(`${step}@m3`))?.needs).toEqual([expect.stringContaining(before)])
    }),
  )
})

it('a master whose audit policy is another one gets another API server, since that reads its policy only once', () =>
  inTemporaryDirectory(async (directory) => {
    const of = (policy: string) => kubeadmCluster(one, `apiServer: {audit: {enabled: true, policyFileContent: "${policy}"}}`)
    const subject = new Subject(wholeCluster, { ...of('kind: Policy'), before: readyForKubeadm }, 'debian-12', directory)
    const rehearsal = await subject.created()
    const patch = () => hostOf(rehearsal, 'm1').files.read('/etc/kubernetes/patches/kube-apiserver+strategic.json')
    const before = await patch()
    expect(JSON.parse(before ?? '')).toEqual({
      metadata: { annotations: { 'kubexm.mensylisir.io/configuration': expect.stringMatching(/^[0-9a-f]{16}$/) } },
    })
    const { errors, states } = await rehearsal.run(subject.create, { cluster: of('kind: Policy # more').cluster })
    expect([errors, states.get('kubeadm-init/kubeadm.init@m1')]).toEqual([[], 'succeeded'])
    expect(await patch()).not.toBe(before)
  }))
