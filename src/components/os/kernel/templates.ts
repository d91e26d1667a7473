/** What Kubernetes and its network need of the kernel. */
interface KernelNeeds {
  readonly proxyMode: string
  readonly podRanges: readonly string[]
}

/** Modules to load: overlay for images, br_netfilter for services on a bridge, ip_vs where kube-proxy uses it, and what else is asked for. */
export const modulesFor = ({ proxyMode }: Pick<KernelNeeds, 'proxyMode'>, further: readonly string[]): readonly string[] => [
  ...new Set([
    ...['overlay', 'br_netfilter'],
    ...(proxyMode === 'ipvs' ? ['nf_conntrack', 'ip_vs', 'ip_vs_rr', 'ip_vs_wrr', 'ip_vs_sh'] : []),
    ...further,
  ]),
]

/** Kernel parameters; what the user says counts. */
export const sysctlsFor = (
  { podRanges }: Pick<KernelNeeds, 'podRanges'>,
  further: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  'net.ipv4.ip_forward': '1',
  ...(podRanges.some((range) => range.includes(':')) ? { 'net.ipv6.conf.all.forwarding': '1' } : {}),
  'net.bridge.bridge-nf-call-iptables': '1',
  'net.bridge.bridge-nf-call-ip6tables': '1',
  // The kubelet sets these three itself and leaves them behind; set here they are put back when the cluster is deleted.
  'vm.overcommit_memory': '1',
  'kernel.panic': '10',
  'kernel.panic_on_oops': '1',
  // Every container takes a few: the defaults last for some dozen pods. Not lower than what newer kernels choose themselves.
  'fs.inotify.max_user_instances': '8192',
  'fs.inotify.max_user_watches': '1048576',
  ...further,
})
