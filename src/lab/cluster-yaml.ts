import { stringify } from 'yaml'
import { overlaid, type Settings } from '../util/overlay.ts'
import { jumpHostOf, labKeys } from './keys.ts'
import type { LabPaths } from './paths.ts'
import { requireLab } from './record.ts'
import { labPassword, labUsers } from './root-recipe.ts'
import type { HostRecord, LabRecord } from './types.ts'

/** What may be chosen for the config of a lab's cluster. */
export interface ClusterChoice {
  readonly masters?: number
  /** The user kubexm logs in as: root, or one of the lab's users. */
  readonly user?: string
  readonly type?: 'kubexm' | 'kubeadm'
  readonly version?: string
  /** How many of the last hosts are load balancers of their own, and nothing else. */
  readonly loadBalancers?: number
  /** How many of the last hosts do not belong to the cluster at all: what stands beside it may run there. */
  readonly outside?: number
  /** Laid over `spec`: whatever else is wanted. */
  readonly spec?: Settings
}

/** A cluster config for the hosts of a lab, ready for `kubexm create cluster -f` in the lab's network. */
export async function labClusterYaml(name: string, choice: ClusterChoice = {}): Promise<string> {
  const { paths, record } = await requireLab(name)
  return clusterYaml(record, paths, choice)
}

/** The same, from what is known about the lab. */
export function clusterYaml(
  lab: LabRecord,
  paths: LabPaths,
  { masters = 1, user = 'root', type = 'kubeadm', version = 'v1.34.4', loadBalancers = 0, outside = 0, spec: over = {} }: ClusterChoice,
): string {
  const jump = jumpHostOf(lab)
  const others = lab.hosts.filter((host) => host !== jump)
  // Where all others are private the jump host is only the door: it is not in their network with its first address.
  const reached = jump !== null && others.length > 0 && others.every(isPrivate) ? others : lab.hosts
  const hosts = reached.slice(0, reached.length - outside)
  const names = hosts.map((host) => host.name)
  const balancers = loadBalancers === 0 ? [] : names.slice(-loadBalancers)
  const nodes = names.slice(0, names.length - balancers.length)
  const workers = nodes.slice(masters)
  const key = labKeys(paths).plain
  const needsSudoPassword = labUsers.some((one) => one.name === user && one.sudo === 'with-password')
  const spec = {
    global: {
      user,
      privateKeyPath: key,
      ...(needsSudoPassword ? { sudoPassword: labPassword } : {}),
      knownHosts: paths.knownHosts,
      hostKeyPolicy: 'strict',
    },
    hosts: hosts.map((host) => ({
      name: host.name,
      address: host.legs[0]?.ipv4,
      internalAddress: `${host.legs[0]?.ipv4},${host.legs[0]?.ipv6}`,
      ...(isPrivate(host) && jump !== null ? { bastion: { address: jump.legs[0]?.ipv4, user: 'root', privateKeyPath: key } } : {}),
    })),
    roleGroups: {
      // Three members survive the loss of one; two are worse than one.
      etcd: nodes.slice(0, nodes.length >= 3 ? 3 : 1),
      master: nodes.slice(0, masters),
      worker: workers.length > 0 ? workers : nodes,
      ...(balancers.length > 0 ? { loadbalancer: balancers } : {}),
    },
    controlPlaneEndpoint: {
      domain: 'lb.kubexm.local',
      port: 6443,
      ...(masters > 1 && balancers.length === 0 ? { internalLoadbalancer: 'haproxy' } : {}),
    },
    kubernetes: {
      type,
      version,
      proxyMode: 'iptables',
      // Where the mirror is served in a lab's network: what no cluster needs, but a test may.
      containerRuntime: {
        type: 'containerd',
        containerd: { registry: { mirrors: { 'kubexm.local': { endpoints: ['http://10.77.0.1:5000'] } } } },
      },
      // The hosts share the disk of this machine, which may be as full as it likes.
      kubelet: {
        configuration: { imageGCHighThresholdPercent: 100, evictionHard: { 'nodefs.available': '1%', 'imagefs.available': '1%' } },
      },
    },
    etcd: { type: 'kubexm' },
    // A cache on each node needs a dummy interface, which this kernel may not have.
    dns: { nodelocaldns: { enabled: false } },
    // The lab's network has no way out and no name server.
    preflight: {
      // Nor has every machine cgroup v2; later kubelets run without it when they are told to.
      skipChecks: ['KX_NAMESERVER_SILENT', ...(/^v?1\.(3[5-9]|[4-9]\d)\./.test(version) ? ['KX_CGROUP_V1'] : [])],
      // Built with a Go newer than its own, as a mirror does, a kubeadm before 1.34 stumbles over a URL that it makes itself.
      ...(/^v?1\.(2\d|3[0-3])\./.test(version) ? { ignoreKubeadmErrors: ['HTTPProxyCIDR'] } : {}),
    },
    network: { plugin: 'flannel', kubePodsCIDR: '10.233.64.0/18', kubeServiceCIDR: '10.233.0.0/18' },
  }
  return stringify(
    { apiVersion: 'kubexm.mensylisir.io/v1alpha1', kind: 'Cluster', metadata: { name: lab.name }, spec: overlaid(spec, over) },
    { aliasDuplicateObjects: false },
  )
}

const isPrivate = (host: HostRecord): boolean => host.legs[0]?.network === 'private'
