import { describe, expect, it } from 'vitest'
import { smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { defineModule } from '../../../module/define.ts'
import { definePipeline } from '../../../pipeline/define.ts'
import type { StepNode } from '../../../plan/index.ts'
import { fetchArtifacts } from './index.ts'

/** The artifacts a cluster's plan fetches, and on which machine; all of them side by side. */
const fetched = (spec: string, names?: readonly string[]): Promise<readonly StepNode[]> =>
  inTemporaryDirectory(async (directory) => {
    const { cluster, hosts } = smallCluster(spec)
    const rehearsal = await Rehearsal.of(directory, cluster, hosts, 'debian-12')
    const module = defineModule({ name: 'artifacts', create: (task) => task(fetchArtifacts, names === undefined ? {} : { names }) })
    const { nodes } = rehearsal.plan(definePipeline({ name: 'fetch', plan: (m) => m(module, 'create') }))
    return nodes.filter((node): node is StepNode => node.kind === 'step')
  })

const ids = (nodes: readonly StepNode[]): readonly string[] => nodes.map((node) => (node.input as { readonly id: string }).id)

describe('what is fetched to this machine', () => {
  it('is everything the hosts need but packages, on this machine and side by side', async () => {
    const nodes = await fetched('network: {plugin: flannel}')
    expect(ids(nodes)).toEqual(
      expect.arrayContaining(['kubelet/v1.34.4/amd64', 'ghcr.io/flannel-io/flannel:v0.26.7/amd64', 'registry.k8s.io/pause:3.10.1/amd64']),
    )
    expect(ids(nodes).filter((id) => id.startsWith('package/'))).toEqual([])
    expect(new Set(nodes.map((node) => node.host))).toEqual(new Set(['local']))
    expect(new Set(nodes.flatMap((node) => node.needs))).toEqual(new Set(['fetch-artifacts:begin']))
  })

  it('leaves images where the hosts get them from a registry of the user', async () => {
    const images = (nodes: readonly StepNode[]): readonly string[] => ids(nodes).filter((id) => id.includes('pause'))
    expect(images(await fetched('registry: {type: external, privateRegistry: hub.example.com}'))).toEqual([])
    expect(images(await fetched('registry: {type: none}'))).toHaveLength(1)
  })

  it('may be only the files with some names', async () => {
    expect(ids(await fetched('', ['runc', 'crictl']))).toEqual(['crictl/v1.34.0/amd64', 'runc/v1.3.3/amd64'])
  })
})
