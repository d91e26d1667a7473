/** Where the parts of a cluster lie on its hosts: the one place that knows. */
export const hostLayout = {
  /** Programs kubexm installs. */
  programs: '/usr/local/bin',
  kubernetes: '/etc/kubernetes',
  kubernetesPki: '/etc/kubernetes/pki',
  staticPods: '/etc/kubernetes/manifests',
  /** Configuration of what runs as a static pod, a directory for each. */
  podSettings: '/etc/kubexm',
  /** Manifests that were applied, for looking at and for taking their objects away again. */
  addons: '/etc/kubernetes/addons',
  adminKubeconfig: '/etc/kubernetes/admin.conf',
  kubelet: '/var/lib/kubelet',
  etcd: '/etc/etcd',
  etcdPki: '/etc/etcd/pki',
  registry: '/etc/registry',
  registryPki: '/etc/registry/pki',
  cniConfig: '/etc/cni/net.d',
  cniPlugins: '/opt/cni/bin',
} as const
