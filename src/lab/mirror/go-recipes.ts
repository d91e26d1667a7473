import { minorOf, numberOf } from '../../resource/version.ts'
import { fileServer, pause, probe } from './own-programs.ts'
import type { GoModule, ProgramSet } from './recipe.ts'

const set = (name: string, version: string, ...modules: readonly GoModule[]): ProgramSet => ({ name, version, modules })

const named = (folder: string, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, `${folder}/${name}`]))

/** Kubernetes reports the version that was linked in at these two places. */
const kubernetesVersionFlags = (version: string): readonly string[] => {
  const [major = '', minor = ''] = numberOf(minorOf(version)).split('.')
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((place) => [
    `-X ${place}.gitVersion=${version}`,
    `-X ${place}.gitMajor=${major}`,
    `-X ${place}.gitMinor=${minor}`,
    `-X ${place}.gitTreeState=clean`,
    `-X ${place}.gitCommit=${'0'.repeat(40)}`,
  ])
}

const kubernetesPrograms = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'kubectl', 'kubeadm']

const cniPlugins = {
  ...named('./plugins/main', ['bridge', 'dummy', 'host-device', 'ipvlan', 'loopback', 'macvlan', 'ptp', 'tap', 'vlan']),
  ...named('./plugins/ipam', ['dhcp', 'host-local', 'static']),
  ...named('./plugins/meta', ['bandwidth', 'firewall', 'portmap', 'sbr', 'tuning', 'vrf']),
}

const containerd = (version: string): GoModule => {
  const module = version.startsWith('v1.') ? 'github.com/containerd/containerd' : 'github.com/containerd/containerd/v2'
  return {
    module,
    version,
    packages: named('./cmd', ['containerd', 'containerd-shim-runc-v2', 'ctr']),
    ldflags: [`-X ${module}/version.Version=${version}`],
  }
}

/** Calico's tree is only to be had at this commit of its API module, whatever the tag of the tree is. */
const calicoApi = 'v0.0.0-20240708202104-e3f70b269c2c'

/** How each set of programs is built from Go modules: one row a set. */
export const programSets: Readonly<Record<string, (version: string) => ProgramSet>> = {
  kubernetes: (version) =>
    set('kubernetes', version, {
      module: 'k8s.io/kubernetes',
      version,
      packages: named('./cmd', kubernetesPrograms),
      ldflags: kubernetesVersionFlags(version),
      stagingVersion: version.replace(/^v1\./, 'v0.'),
      unneeded: ['k8s.io/sample-apiserver', 'k8s.io/sample-cli-plugin', 'k8s.io/sample-controller'],
    }),
  etcd: (version) =>
    set(
      'etcd',
      version,
      { module: 'go.etcd.io/etcd/server/v3', version, packages: { etcd: '.' } },
      { module: 'go.etcd.io/etcd/etcdctl/v3', version, packages: { etcdctl: '.' } },
      { module: 'go.etcd.io/etcd/etcdutl/v3', version, packages: { etcdutl: '.' } },
    ),
  containerd: (version) => set('containerd', version, containerd(version)),
  runc: (version) =>
    set('runc', version, {
      module: 'github.com/opencontainers/runc',
      version,
      packages: { runc: '.' },
      cgo: true,
      tags: ['netgo', 'osusergo', 'seccomp'],
      libraries: ['libseccomp-dev', 'libseccomp2'],
      // A lab host may lack CAP_SYS_RESOURCE, and then lowering oom_score_adj is refused; with this the stock runtime configuration works there.
      patches: [
        {
          file: 'libcontainer/nsenter/nsexec.c',
          find: 'if (write_file(data, len, "/proc/self/oom_score_adj") < 0)',
          replace: 'if (write_file(data, len, "/proc/self/oom_score_adj") < 0 && errno != EACCES && errno != EPERM)',
        },
      ],
    }),
  crictl: (version) =>
    set('crictl', version, {
      module: 'sigs.k8s.io/cri-tools',
      version,
      packages: { crictl: './cmd/crictl' },
      ldflags: [`-X sigs.k8s.io/cri-tools/pkg/version.Version=${version}`],
    }),
  'cni-plugins': (version) =>
    set('cni-plugins', version, {
      module: 'github.com/containernetworking/plugins',
      version,
      packages: cniPlugins,
      ldflags: [`-X github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=${version}`],
    }),
  flannel: (version) =>
    set('flannel', version, {
      module: 'github.com/flannel-io/flannel',
      version,
      packages: { flanneld: '.' },
      // The udp backend is C on amd64.
      cgo: true,
      tags: ['netgo', 'osusergo'],
      ldflags: [`-X github.com/flannel-io/flannel/pkg/version.Version=${version}`],
    }),
  'flannel-cni-plugin': (version) => ({
    ...set('flannel-cni-plugin', version, {
      module: 'github.com/containernetworking/plugins',
      version: 'v0.9.1',
      packages: { flannel: './plugins/meta/flannel' },
    }),
    standIn: "the flannel plugin of the CNI plugins v0.9.1, from before it moved out; flannel's own module cannot be had",
  }),
  coredns: (version) => set('coredns', version, { module: 'github.com/coredns/coredns', version, packages: { coredns: '.' } }),
  helm: (version) =>
    set('helm', version, {
      module: 'helm.sh/helm/v3',
      version,
      packages: { helm: './cmd/helm' },
      ldflags: [`-X helm.sh/helm/v3/internal/version.version=${version}`],
    }),
  registry: (version) =>
    set('registry', version, {
      module: 'github.com/distribution/distribution/v3',
      version,
      packages: { registry: './cmd/registry' },
      ldflags: [`-X github.com/distribution/distribution/v3/version.version=${version}`],
    }),
  'kube-vip': (version) =>
    set('kube-vip', version, {
      module: 'github.com/kube-vip/kube-vip',
      version,
      packages: { 'kube-vip': '.' },
      ldflags: [`-X main.Version=${version}`],
    }),
  pause: (version) => ({ ...set('pause', version), own: [pause] }),
  probe: (version) => ({ ...set('probe', version), own: [probe] }),
  'file-server': (version) => ({ ...set('file-server', version), own: [fileServer] }),
  'cri-dockerd': (version) =>
    set('cri-dockerd', version, {
      module: 'github.com/Mirantis/cri-dockerd',
      version,
      packages: { 'cri-dockerd': '.' },
      ldflags: [`-X github.com/Mirantis/cri-dockerd/cmd/version.Version=${numberOf(version)}`],
    }),
  'cri-o': (version) => ({
    ...set('cri-o', version, {
      module: 'github.com/cri-o/cri-o',
      version,
      packages: { crio: './cmd/crio' },
      cgo: true,
      tags: ['netgo', 'osusergo', 'containers_image_openpgp', 'exclude_graphdriver_btrfs', 'exclude_graphdriver_devicemapper'],
    }),
    standIn: "crio alone: conmon and crun come from the distribution's packages",
  }),
  calico: (version) =>
    set('calico', version, {
      module: 'github.com/projectcalico/calico',
      version: 'latest',
      packages: {
        calico: './cni-plugin/cmd/calico',
        'calico-node': './node/cmd/calico-node',
        'kube-controllers': './kube-controllers/cmd/kube-controllers',
        'calico-typha': './typha/cmd/calico-typha',
      },
      replace: { 'github.com/projectcalico/api': `github.com/projectcalico/api@${calicoApi}` },
    }),
  'metrics-server': (version) =>
    set('metrics-server', version, {
      module: 'sigs.k8s.io/metrics-server',
      version,
      packages: { 'metrics-server': './cmd/metrics-server' },
    }),
  'local-path-provisioner': (version) =>
    set('local-path-provisioner', version, {
      module: 'github.com/rancher/local-path-provisioner',
      version,
      packages: { 'local-path-provisioner': '.' },
      ldflags: [`-X main.VERSION=${version}`],
    }),
}
