import { type Cluster, type ClusterHost, hostsOf, parseCluster } from '../../src/config/index.ts'

/** A cluster written for a test; what is wrong with it is told by the test failing. */
export function clusterOf(yaml: string): Cluster {
  const { cluster, errors } = parseCluster(yaml, 'test.yaml')
  if (cluster === null) throw new Error(errors.map((error) => `${error.line}:${error.col} ${error.problem}`).join('\n'))
  return cluster
}

/** One master, two workers, and whatever else the spec says. */
export function smallCluster(spec = ''): { readonly cluster: Cluster; readonly hosts: readonly ClusterHost[] } {
  const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: node2, address: 192.0.2.2, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: node3, address: 192.0.2.3, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {etcd: [node1], master: [node1], worker: ["node[2:3]"]}
${spec.replace(/^(?=.)/gm, '  ')}`)
  return { cluster, hosts: hostsOf(cluster) }
}

/** The first host of a small cluster, for what is the same on every host: trying a fault at every change takes its time. */
export const oneHost = (spec = ''): ReturnType<typeof smallCluster> => firstOf(smallCluster(spec))

/** A config whose container runtime has to know registries: a mirror, an insecure one, and one that wants a password. */
export const withRegistries = {
  spec: `kubernetes:
  version: v1.34.4
  containerRuntime:
    containerd: {registryMirrors: mirror.example.com, insecureRegistries: registry.local:5000}
registry:
  auths:
    hub.example.com: {username: robot, password: do-not-show-me}`,
  secrets: ['do-not-show-me'],
} as const

/** Three masters, a worker that is one of them, one that is not, and two hosts for load balancers; those of a role are worked on. */
export function balanced(endpoint: string, role: 'master' | 'worker' | 'loadbalancer', spec = ''): ReturnType<typeof smallCluster> {
  const numbers = [1, 2, 3, 4, 5, 6]
  const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
${numbers.map((n) => `  - {name: node${n}, address: 192.0.2.${n}, privateKeyPath: ~/.ssh/id_ed25519}`).join('\n')}
  roleGroups: {etcd: [node1], master: ["node[1:3]"], worker: ["node[3:4]"]${endpoint.includes('externalLoadBalancer') ? ', loadbalancer: ["node[5:6]"]' : ''}}
  controlPlaneEndpoint: ${endpoint.startsWith('{') ? endpoint : `{${endpoint}}`}
${spec.replace(/^(?=.)/gm, '  ')}`)
  return { cluster, hosts: hostsOf(cluster).filter((host) => host.roles.includes(role)) }
}

/** A scenario on the first of its hosts alone: trying a fault at every change takes its time. */
export const firstOf = ({ cluster, hosts }: ReturnType<typeof smallCluster>): ReturnType<typeof smallCluster> => ({
  cluster,
  hosts: hosts.slice(0, 1),
})

/** A small cluster whose pods and services have these addresses. */
export function withRanges(kubePodsCIDR: readonly string[], kubeServiceCIDR: readonly string[]): Cluster {
  const { cluster } = smallCluster()
  return { ...cluster, spec: { ...cluster.spec, network: { ...cluster.spec.network, kubePodsCIDR, kubeServiceCIDR } } }
}
