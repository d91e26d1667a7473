import { describe, expect, it } from 'vitest'
import { conforms, properties, type Scenario, Subject } from '../../../../test/conformance/conforms.ts'
import { together } from '../../../../test/conformance/together.ts'
import { oneHost, smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { withControlPlane, withRuntime } from '../../../../test/support/simulated-services.ts'
import { simulatedBinary } from '../../../simulation/index.ts'
import { adminAccess } from '../client/index.ts'
import { nodeSettings, nodeTraces } from '../node/index.ts'
import { bootstrapRbac, controlPlane, kubelets, kubeProxies } from './index.ts'

const binary = (more = ''): string => `kubernetes:
  type: kubexm
  version: v1.34.4
${more.replace(/^(?=.)/gm, '  ')}`

const safe = 'apiServer: {audit: {enabled: true}, encryption: {enabled: true}}'

/** A node before its kubelet and kube-proxy come: with a container runtime and the tools for packet filters. */
async function withTools(rehearsal: Rehearsal): Promise<void> {
  await withRuntime(rehearsal)
  await rehearsal.prepare(async (on) => {
    for (const name of ['iptables', 'nft'])
      await on.files.write(`/usr/sbin/${name}`, Buffer.from(simulatedBinary(name, 'amd64')).toString('latin1'), { mode: '0755' })
  })
}

conforms(controlPlane, { ...oneHost(binary(safe)), os: ['debian-12'] })
conforms(together(nodeTraces, kubelets), { ...oneHost(binary()), os: ['rocky-9'], before: withTools })
conforms(together(nodeTraces, kubeProxies), { ...oneHost(binary('proxyMode: iptables')), os: ['debian-12'], before: withTools })
conforms(together(nodeTraces, kubeProxies), { ...oneHost(binary('proxyMode: nftables')), os: ['rocky-9'], before: withTools })
conforms(bootstrapRbac, { ...oneHost(binary()), os: ['debian-12'], before: (rehearsal) => withControlPlane(rehearsal, []) })

describe('a cluster of binaries', () => {
  const all = together(nodeTraces, controlPlane, bootstrapRbac, adminAccess, kubelets, kubeProxies, nodeSettings)
  const scenario: Scenario = { ...smallCluster(binary(`proxyMode: iptables\n${safe}`)), before: withTools }
  const subjectIn = (directory: string): Subject => new Subject(all, scenario, 'debian-12', directory)

  it.each(['a second run changes nothing and says so', 'create, then delete, leaves no trace'] as const)('%s', (name) =>
    inTemporaryDirectory((directory) => properties[name](subjectIn(directory))),
  )

  it('has its control plane as a tainted node, and kubelets of the version', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await subjectIn(directory).created()
      const node = (name: string) => rehearsal.simulated.state.objects.get(`Node//${name}`)
      expect(node('node1')).toMatchObject({
        spec: { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] },
        status: { nodeInfo: { kubeletVersion: 'v1.34.4' } },
      })
      expect(node('node3')).toMatchObject({ metadata: { labels: { 'node-role.kubernetes.io/worker': '' } } })
    }))

  it('has no kube-proxy where something else serves services, and nothing at all of this where kubeadm installs', () =>
    inTemporaryDirectory(async (directory) => {
      const planned = async (task: typeof controlPlane, spec: string): Promise<number> =>
        (await new Subject(task, smallCluster(spec), 'debian-12', directory).rehearsal()).plan(
          new Subject(task, smallCluster(spec), 'debian-12', directory).create,
        ).nodes.length
      expect(await planned(kubeProxies, `${binary('proxyMode: none')}\nnetwork: {plugin: none}`)).toBe(0)
      expect(await planned(kubeProxies, binary('proxyMode: iptables'))).toBeGreaterThan(0)
      for (const task of [controlPlane, bootstrapRbac, kubelets, kubeProxies])
        expect(await planned(task, 'kubernetes: {type: kubeadm, version: v1.34.4}')).toBe(0)
    }))
})
