import { par } from '../../../plan/index.ts'
import { type Artifact, privateRegistryOf } from '../../../resource/index.ts'
import type { Host } from '../../../runtime/index.ts'
import { defineTask, use } from '../../../task/index.ts'
import { importImages, pullImages } from './steps.ts'

/** Every image a host needs, before something on it needs it: from the private registry where there is one, else from this machine. */
export const provideImages = defineTask({
  name: 'provide-images',
  description: 'Put the images every host needs into its container runtime',
  isRequired: ({ cluster }) => cluster.spec.kubernetes.containerRuntime.type === 'containerd',
  plan: (t) => {
    const provide = privateRegistryOf(t.cluster) === null ? importImages : pullImages
    return par(...alike(t.hosts(), t.artifacts).map(({ hosts, images }) => t.on(hosts, use(provide, { images }))))
  },
})

/** Hosts that need the same images, together. */
function alike(
  hosts: readonly Host[],
  artifacts: readonly Artifact[],
): readonly { readonly hosts: readonly Host[]; readonly images: readonly string[] }[] {
  const needs = new Map<string, string[]>(hosts.map((host) => [host.name, []]))
  for (const artifact of artifacts) if (artifact.kind === 'image') for (const host of artifact.hosts) needs.get(host)?.push(artifact.image)
  const groups = new Map<string, { readonly hosts: Host[]; readonly images: readonly string[] }>()
  for (const host of hosts) {
    const images = needs.get(host.name) ?? []
    if (images.length === 0) continue
    const group = groups.get(images.join()) ?? { hosts: [], images }
    group.hosts.push(host)
    groups.set(images.join(), group)
  }
  return [...groups.values()]
}
