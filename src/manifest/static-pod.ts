import { sha256 } from '../util/hash.ts'
import type { Json } from '../util/json.ts'
import type { Manifest } from './kubelet.ts'

/** A pod of one container that the kubelet of a host runs from a file, in the network of that host. */
export interface StaticPod {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  /** Values by name; an object is where Kubernetes takes the value from. */
  readonly env?: Readonly<Record<string, Json>>
  /** Paths of the host, where the container sees them; read only. */
  readonly mounts: readonly { readonly name: string; readonly path: string; readonly at: string; readonly type: 'Directory' | 'File' }[]
  /** What it runs with: the kubelet makes the pod anew when this differs. */
  readonly configuration: string
  /** The page on loopback that says whether it lives. */
  readonly health?: { readonly path: string; readonly port: number }
  readonly capabilities?: readonly string[]
  readonly readOnlyRoot?: boolean
}

/** The pod as a manifest. It matters as much as the kubelet itself: it goes last when a node runs short of something. */
export function staticPod(pod: StaticPod): Manifest {
  const { name, image, env = {}, mounts, health, capabilities = [] } = pod
  const container: Record<string, Json> = {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    ...(pod.command === undefined ? {} : { command: pod.command }),
    ...(pod.args === undefined ? {} : { args: pod.args }),
    ...(Object.keys(env).length === 0
      ? {}
      : { env: Object.entries(env).map(([key, value]) => ({ name: key, [typeof value === 'string' ? 'value' : 'valueFrom']: value })) }),
    ...(health === undefined ? {} : { livenessProbe: probeOf(health) }),
    resources: { requests: { cpu: '25m', memory: '32Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'], ...(capabilities.length === 0 ? {} : { add: capabilities }) },
      ...(pod.readOnlyRoot === true ? { readOnlyRootFilesystem: true } : {}),
    },
    volumeMounts: mounts.map((mount) => ({ name: mount.name, mountPath: mount.at, readOnly: true })),
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'kube-system',
      labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': 'kubexm' },
      annotations: { 'kubexm.mensylisir.io/configuration': sha256(pod.configuration).slice(0, 16) },
    },
    spec: {
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      containers: [container],
      volumes: mounts.map(({ name: volume, path, type }) => ({ name: volume, hostPath: { path, type } })),
    },
  }
}

const probeOf = ({ path, port }: { readonly path: string; readonly port: number }): Json => ({
  httpGet: { host: '127.0.0.1', path, port },
  initialDelaySeconds: 5,
  periodSeconds: 10,
  failureThreshold: 6,
})
