import type { Json } from '../util/json.ts'

/** An object of the Kubernetes API, as far as anybody looks at it. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly generation?: number
  }
  readonly spec?: { readonly [key: string]: Json }
  readonly data?: { readonly [key: string]: Json }
  readonly status?: { readonly [key: string]: Json }
}

/** A member of etcd; without a name it was added but has not started yet. */
export interface EtcdMember {
  readonly id: string
  readonly name: string
  readonly peerUrl: string
  readonly clientUrl: string
  /** The host it runs on, once it has started. */
  readonly host: string | null
  /** Where it keeps its data there. */
  readonly dataDir?: string
  /** Whether it has told the others about itself, for which it takes a majority: only then it says that it is ready. */
  readonly published?: boolean
}

/** What the API server and etcd hold between them. It never changes: each change makes the next one. */
export interface ClusterState {
  readonly objects: ReadonlyMap<string, KubeObject>
  readonly members: readonly EtcdMember[]
  /** Hosts that have run an API server. */
  readonly controlPlanes: ReadonlySet<string>
  /** Hosts whose kubelet found no API server when it started: they register as soon as one answers. */
  readonly unregistered: ReadonlySet<string>
  /** Join tokens and when they end. */
  readonly tokens: ReadonlyMap<string, number>
  /** Keys of uploaded certificates and when they end. */
  readonly certificateKeys: ReadonlyMap<string, number>
  /** The version of the control plane; null while there is none. */
  readonly version: string | null
  /** Counts things that need a name of their own. */
  readonly next: number
}

export const emptyCluster: ClusterState = {
  objects: new Map(),
  members: [],
  controlPlanes: new Set(),
  unregistered: new Set(),
  tokens: new Map(),
  certificateKeys: new Map(),
  version: null,
  next: 1,
}

const clusterWide = new Set(
  'Node Namespace CertificateSigningRequest ClusterRole ClusterRoleBinding CustomResourceDefinition PersistentVolume StorageClass PriorityClass APIService IngressClass RuntimeClass MutatingWebhookConfiguration ValidatingWebhookConfiguration'.split(
    ' ',
  ),
)

/** Whether objects of a kind are in no namespace. */
export const isClusterWide = (kind: string): boolean => clusterWide.has(kind)

/** Where an object is kept: its kind, namespace and name. */
export const objectKey = (kind: string, namespace: string | undefined, name: string): string =>
  `${kind}/${clusterWide.has(kind) ? '' : (namespace ?? 'default')}/${name}`

/** The cluster with an object set. */
export const withObject = (cluster: ClusterState, object: KubeObject): ClusterState => ({
  ...cluster,
  objects: new Map([...cluster.objects, [objectKey(object.kind, object.metadata.namespace, object.metadata.name), object]]),
})

/** The cluster without an object. */
export function withoutObject(cluster: ClusterState, key: string): ClusterState {
  const objects = new Map(cluster.objects)
  objects.delete(key)
  return { ...cluster, objects }
}
