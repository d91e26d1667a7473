import { par } from '../../../plan/index.ts'
import type { Artifact } from '../../../resource/index.ts'
import { coversCluster } from '../../../runtime/index.ts'
import { defineTask, use } from '../../../task/index.ts'
import { installRegistry, pushImage, registryListens, runRegistry } from './steps.ts'

/** The registry of the cluster, on the host with that role: reads spec.roleGroups.registry. */
export const registryService = defineTask({
  name: 'registry',
  description: 'Run the image registry of the cluster',
  isRequired: ({ cluster }) => cluster.spec.registry.type === 'registry',
  plan: (t) => t.on(t.hosts('registry'), installRegistry, runRegistry, registryListens),
})

/**
 * Every image of the cluster, for every architecture, from this machine into its registry. A run about some of the hosts knows only
 * their architectures: it would take those of the others out of the registry.
 */
export const pushImages = defineTask({
  name: 'push-images',
  description: 'Put every image of the cluster into its registry',
  isRequired: ({ cluster, hosts }) => cluster.spec.registry.type === 'registry' && coversCluster({ cluster, hosts: hosts() }),
  plan: (t) => par(...byImage(t.artifacts).map(({ image, ids }) => t.local(use(pushImage, { image, ids }, image)))),
})

function byImage(artifacts: readonly Artifact[]): readonly { readonly image: string; readonly ids: readonly string[] }[] {
  const ids = new Map<string, string[]>()
  for (const artifact of artifacts)
    if (artifact.kind === 'image') ids.set(artifact.image, [...(ids.get(artifact.image) ?? []), artifact.id])
  return [...ids].map(([image, parts]) => ({ image, ids: parts }))
}
