import { describe, expect, it } from 'vitest'
import { conforms, properties, Subject } from '../../../../test/conformance/conforms.ts'
import { clusterOf, oneHost, smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { withControlPlane } from '../../../../test/support/simulated-services.ts'
import { withWholeCluster } from '../../../../test/support/whole-cluster.ts'
import { hostsOf } from '../../../config/index.ts'
import { pipelines } from '../../../pipeline/index.ts'
import { certificateRequest } from '../../../simulation/certificate-request.ts'
import { type KubeObject, withObject } from '../../../simulation/cluster-state.ts'
import { nodeSettings, nodesReady, nodeTraces, servingCertificates } from './index.ts'

const controlPlane = (rehearsal: Rehearsal): Promise<void> => withControlPlane(rehearsal, [])
const version = 'kubernetes: {version: v1.34.4}'

conforms(nodeTraces, { ...oneHost(version), os: ['debian-12', 'rocky-9'] })

describe('what a node leaves', () => {
  const traced = (rehearsal: Rehearsal): readonly string[] => [...rehearsal.machines.values()].flatMap(({ state }) => [...state.traces])

  it('goes with the cluster, and what was there before or is not ours stays', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(nodeTraces, { ...oneHost(version) }, 'debian-12', directory)
      const rehearsal = await subject.rehearsal()
      const [machine] = rehearsal.machines.values()
      const leave = (...traces: readonly string[]): void =>
        machine?.meddle((state) => ({ ...state, traces: new Set([...state.traces, ...traces]) }))
      leave('chain iptables-nft filter KUBE-OLD')
      expect((await rehearsal.run(subject.create)).errors).toEqual([])
      leave('chain iptables-nft nat KUBE-SERVICES', 'link cni0', 'table ip kube-proxy')
      machine?.meddle((state) => ({
        ...state,
        mounts: new Map([...state.mounts, ['/var/lib/kubelet/pods/a/volumes/b', { source: 'tmpfs', type: 'tmpfs', options: 'rw' }]]),
      }))
      expect((await rehearsal.run(subject.create)).errors).toEqual([])
      expect((await rehearsal.run(subject.remove)).errors).toEqual([])
      expect(traced(rehearsal)).toEqual(['chain iptables-nft filter KUBE-OLD'])
      expect([...(machine?.state.mounts.keys() ?? [])]).toEqual(['/'])
    }))
})

interface SeenNode {
  readonly metadata: { readonly labels?: object; readonly annotations?: object }
  readonly spec?: { readonly taints?: readonly object[] }
}

/** A master, a worker with a label, and a master that is a worker as well. */
function described(): ReturnType<typeof smallCluster> {
  const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, annotations: {example.com/rack: "r 12"}}
  - {name: node2, address: 192.0.2.2, labels: {disk: ssd}, taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}
  - {name: node3, address: 192.0.2.3}
  global: {privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {etcd: [node1], master: [node1, node3], worker: [node2, node3]}
  controlPlaneEndpoint: {internalLoadbalancer: haproxy}
  ${version}
`)
  return { cluster, hosts: hostsOf(cluster) }
}

describe('what hosts[] says of nodes', () => {
  const scenario = () => ({ ...described(), before: controlPlane })
  const subjectIn = (directory: string): Subject => new Subject(nodeSettings, scenario(), 'debian-12', directory)
  const node = (rehearsal: Rehearsal, name: string): SeenNode =>
    rehearsal.simulated.state.objects.get(`Node//${name}`) as unknown as SeenNode

  it('is on the nodes afterwards', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await subjectIn(directory).created()
      expect(node(rehearsal, 'node1')).toMatchObject({
        metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' }, annotations: { 'example.com/rack': 'r 12' } },
        spec: { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] },
      })
      expect(node(rehearsal, 'node2')).toMatchObject({
        metadata: { labels: { 'node-role.kubernetes.io/worker': '', disk: 'ssd' } },
        spec: { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] },
      })
      expect(node(rehearsal, 'node3').metadata.labels).toMatchObject({
        'node-role.kubernetes.io/control-plane': '',
        'node-role.kubernetes.io/worker': '',
      })
      expect(node(rehearsal, 'node3').spec?.taints ?? []).toEqual([])
    }))

  it('comes in one round trip, and takes a taint away that a master which is a worker must not have', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = subjectIn(directory)
      const rehearsal = await subject.rehearsal()
      const taint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }
      rehearsal.simulated.state = withObject(rehearsal.simulated.state, {
        ...(rehearsal.simulated.state.objects.get('Node//node3') as KubeObject),
        spec: { taints: [taint] },
      })
      expect((await rehearsal.run(subject.create)).errors).toEqual([])
      expect(node(rehearsal, 'node3').spec?.taints).toEqual([])
      expect(rehearsal.mutations()).toBe(1)
    }))

  it('is taken back when the task fails after it', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = subjectIn(directory)
      const rehearsal = await subject.rehearsal()
      const before = ['node1', 'node2', 'node3'].map((name) => node(rehearsal, name))
      rehearsal.faults.failAt(1, 'after')
      expect((await rehearsal.run(subject.create, { rollbackOnFailure: true })).outcome).toBe('failed')
      const after = ['node1', 'node2', 'node3'].map((name) => node(rehearsal, name))
      for (const [i, { metadata, spec }] of after.entries()) {
        expect(metadata.labels).toEqual(before[i]?.metadata.labels)
        expect(metadata.annotations ?? {}).toEqual({})
        expect(spec?.taints ?? []).toEqual([])
      }
    }))

  it.each(['the plan is the same every time', 'a second run changes nothing and says so'] as const)('%s', (name) =>
    inTemporaryDirectory((directory) => properties[name](subjectIn(directory))),
  )
})

describe('nodes', () => {
  it('are waited for, and the wait says which one is not ready and why', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(nodesReady, { ...smallCluster(version), before: controlPlane }, 'debian-12', directory)
      const rehearsal = await subject.rehearsal()
      const { errors } = await rehearsal.run(subject.create)
      expect(errors).toMatchObject([
        { code: 'KX_STEP_TIMEOUT', seen: expect.stringMatching(/^node1 is NotReady.*: cni plugin not initialized/) },
      ])
    }))
})

describe('nodes of a cluster whose network the user brings', () => {
  it.each(['kubeadm', 'kubexm'] as const)('are not waited for in vain, and the user is told what is left to do: %s', (type) =>
    withWholeCluster({ type, etcd: 'kubexm', masters: 1, network: 'none' }, async (rehearsal) => {
      const { errors, outcome } = await rehearsal.run(pipelines['create-cluster'])
      expect({ errors, outcome }).toEqual({ errors: [], outcome: 'success' })
      const told = rehearsal.events.flatMap((event) => (event.type === 'finding' && event.module !== 'preflight' ? [event.finding] : []))
      expect(told).toMatchObject([{ code: 'KX_NETWORK_LEFT', severity: 'warning', problem: expect.stringContaining('m1, w1') }])
      expect(told[0]?.fix).toContain('10.233.64.0/18')
    }),
  )
})

describe('serving certificates that kubelets ask for', () => {
  const rotating = 'kubernetes: {version: v1.34.4, featureGates: {RotateKubeletServerCertificate: true}}'
  const config = 'kind: KubeletConfiguration\nserverTLSBootstrap: true\n'

  /** Kubelets with that configuration, and, if it is said so, one that asks for what is not its own. */
  const asking = (greedy: string | null) => async (rehearsal: Rehearsal) => {
    await controlPlane(rehearsal)
    await rehearsal.prepare(async (on) => {
      await on.files.write('/var/lib/kubelet/config.yaml', config, { mode: '0600' })
      await on.services.restart('kubelet')
    })
    const { state } = rehearsal.simulated
    const request = state.objects.get(`CertificateSigningRequest//csr-${greedy}`)
    const more = { user: `system:node:${greedy}`, group: 'system:nodes', names: ['kubernetes.default'] }
    if (request !== undefined)
      rehearsal.simulated.state = withObject(state, { ...request, spec: { ...request.spec, request: certificateRequest(more) } })
  }
  const subjectIn = (directory: string, greedy: string | null = null): Subject =>
    new Subject(servingCertificates, { ...smallCluster(rotating), before: asking(greedy) }, 'debian-12', directory)

  it('are approved, and a second run finds nothing to do', () =>
    inTemporaryDirectory((directory) => properties['a second run changes nothing and says so'](subjectIn(directory))))

  it('are not approved for names of others, and the error says so', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = subjectIn(directory, 'node2')
      const rehearsal = await subject.rehearsal()
      const { errors } = await rehearsal.run(subject.create)
      expect(errors).toMatchObject([
        {
          code: 'KX_SERVING_CERTIFICATE',
          message: expect.stringContaining('node2'),
          seen: 'csr-node2: it asks for kubernetes.default, which is not of node2',
        },
      ])
      expect(rehearsal.simulated.state.objects.get('CertificateSigningRequest//csr-node3')?.status).toBeDefined()
      expect(rehearsal.simulated.state.objects.get('CertificateSigningRequest//csr-node2')?.status).toBeUndefined()
    }))

  it('are nobody’s business where ours are used', () =>
    inTemporaryDirectory(async (directory) => {
      const subject = new Subject(servingCertificates, smallCluster(version), 'debian-12', directory)
      expect((await subject.rehearsal()).plan(subject.create).nodes).toEqual([])
    }))
})
