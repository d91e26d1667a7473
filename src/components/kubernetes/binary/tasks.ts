import type { Host, PlanContext } from '../../../runtime/index.ts'
import { defineTask } from '../../../task/index.ts'
import {
  apiServerReady,
  applyBootstrapRbac,
  installControlPlane,
  installKubelet,
  installKubeProxy,
  placeMasterCertificates,
  placeNodeCertificates,
  runApiServer,
  runControllers,
  runKubelet,
  runKubeProxy,
} from './steps.ts'

const isBinary = ({ cluster }: PlanContext): boolean => cluster.spec.kubernetes.type === 'kubexm'

/** Masters are nodes too: DaemonSets run on them, and logs and exec work there. */
const isNode = ({ roles }: Host): boolean => roles.includes('master') || roles.includes('worker')

/** API server, controller manager and scheduler on every master, all masters at once. */
export const controlPlane = defineTask({
  name: 'control-plane',
  description: 'Run the API server, the controller manager and the scheduler as services on every master',
  isRequired: isBinary,
  // Controllers that start before the API server lets them in wait seconds until they try again.
  plan: (t) => t.on(t.hosts('master'), installControlPlane, placeMasterCertificates, runApiServer, apiServerReady, runControllers),
})

/** What kubeadm would allow the parts of a cluster, and Kubernetes itself does not. */
export const bootstrapRbac = defineTask({
  name: 'bootstrap-rbac',
  description: 'Let kubelets renew their certificates, and API servers reach kubelets',
  isRequired: isBinary,
  plan: (t) => t.first(t.hosts('master'), applyBootstrapRbac),
})

/** A kubelet on every node. */
export const kubelets = defineTask({
  name: 'kubelets',
  description: 'Run the kubelet as a service on every node',
  isRequired: isBinary,
  plan: (t) => t.on(t.hosts().filter(isNode), installKubelet, placeNodeCertificates, runKubelet),
})

/** kube-proxy on every node, unless something else serves services. */
export const kubeProxies = defineTask({
  name: 'kube-proxies',
  description: 'Run kube-proxy as a service on every node',
  isRequired: (ctx) => isBinary(ctx) && ctx.cluster.spec.kubernetes.proxyMode !== 'none',
  plan: (t) => t.on(t.hosts().filter(isNode), installKubeProxy, runKubeProxy),
})
