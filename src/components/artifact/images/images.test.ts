import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { errorsOf } from '../../../../test/support/cluster-objects.ts'
import { oneHost, smallCluster } from '../../../../test/support/clusters.ts'
import { withRuntime } from '../../../../test/support/simulated-services.ts'
import { hostPaths, sh } from '../../../runner/index.ts'
import { provideImages } from './index.ts'

const network = 'network: {plugin: flannel}\n'
const external = `${network}registry: {type: external, privateRegistry: "hub.example.com:5000", namespaceOverride: all}\n`

conforms(provideImages, { ...oneHost(network), os: ['debian-12'], before: withRuntime })
conforms(provideImages, { ...oneHost(external), os: ['rocky-9'], before: withRuntime })

const images = sh`ctr --namespace=k8s.io images ls -q`

describe('every image a host needs', () => {
  it('is imported from this machine, and the archives do not stay', () =>
    withCreated(
      provideImages,
      { ...smallCluster(network), machine: { internet: false }, before: withRuntime },
      'debian-12',
      async (made) => {
        for (const machine of made.machines.values()) {
          const on = machine.runner()
          expect((await on.run(images)).stdout.split('\n')).toEqual(
            expect.arrayContaining(['registry.k8s.io/pause:3.10.1', 'ghcr.io/flannel-io/flannel:v0.26.7']),
          )
          expect(await on.files.list(`${hostPaths.root}/arriving`)).toEqual([])
        }
      },
    ))

  it('comes from the private registry under its name there', () =>
    withCreated(provideImages, { ...smallCluster(external), before: withRuntime }, 'debian-12', async (made) => {
      const names = (await (made.machines.get('node2')?.runner() ?? expect.unreachable()).run(images)).stdout.split('\n')
      expect(names).toContain('hub.example.com:5000/all/flannel:v0.26.7')
      expect(names.join()).not.toContain('ghcr.io')
    }))

  it('is named where the private registry has none, with what the host said', async () => {
    const scenario = { ...oneHost(external), machine: { internet: false }, before: withRuntime }
    const [error] = await errorsOf(provideImages, scenario)
    expect(error).toMatchObject({
      code: 'KX_IMAGE_PULL',
      params: { image: expect.stringMatching(/^hub\.example\.com:5000\/all\//), why: expect.stringContaining('no such host') },
    })
  })

  it('is planned together for hosts that need the same', () =>
    withCreated(provideImages, { ...smallCluster(network), before: withRuntime }, 'debian-12', async (made) => {
      const steps = [...made.events].filter((event) => event.type === 'step.finished')
      expect(steps.map((event) => event.host).sort()).toEqual(['node1', 'node2', 'node3'])
    }))
})
