import type { Cluster } from '../config/index.ts'
import { formatReference, parseReference } from './oci/reference.ts'

/** The private registry as it stands in image names, with its port where HTTPS has another one; null where there is none. */
export function privateRegistryOf({ spec: { registry } }: Cluster): string | null {
  const { type, privateRegistry, registryConfig, harborConfig } = registry
  if (type === 'none' || privateRegistry === '') return null
  const port = type === 'registry' ? registryConfig.port : type === 'harbor' ? harborConfig.httpsPort : 443
  return port === 443 || /:\d+$/.test(privateRegistry) ? privateRegistry : `${privateRegistry}:${port}`
}

/** The name an image has on the hosts: its own, or the one under which the private registry holds it. */
export function imageName(cluster: Cluster, image: string): string {
  const registry = privateRegistryOf(cluster)
  if (registry === null) return image
  const reference = parseReference(image)
  // Somebody who names the private registry knows where the image is in it.
  if (reference.registry === registry) return image
  const slash = reference.repository.lastIndexOf('/')
  const [namespace, name] = [reference.repository.slice(0, Math.max(slash, 0)), reference.repository.slice(slash + 1)]
  const target = namespaceIn(cluster, reference.registry, namespace)
  return formatReference({ ...reference, registry, repository: target === '' ? name : `${target}/${name}` })
}

/** A rule is about one namespace and stronger than the override, which is about all of them: reads spec.registry.namespaceRewrite.rules.registry too. */
function namespaceIn({ spec: { registry } }: Cluster, from: string, namespace: string): string {
  const { namespaceOverride, namespaceRewrite } = registry
  const rules = namespaceRewrite?.enabled === true ? namespaceRewrite.rules : []
  const rule = rules.find((candidate) => candidate.registry === from && candidate.oldNamespace === namespace)
  return rule?.newNamespace ?? (namespaceOverride === '' ? namespace : namespaceOverride)
}
