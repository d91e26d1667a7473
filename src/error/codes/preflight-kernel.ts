import { defineCodes } from '../define.ts'

/** What preflight finds about a host's kernel and its settings. */
export const preflightKernelCodes = defineCodes({
  KX_KERNEL_OLD: {
    kind: 'preflight',
    en: {
      problem: 'kernel {kernel} is older than {least}',
      cause: 'The config asks for at least this kernel.',
      fix: 'upgrade the kernel, or lower preflight.minKernel',
    },
    zh: { problem: '内核 {kernel} 低于 {least}', cause: '配置要求至少此版本的内核。', fix: '升级内核，或调低 preflight.minKernel' },
  },
  KX_KERNEL_FEATURE: {
    kind: 'preflight',
    en: {
      problem: '{feature} needs kernel {least}, the host has {kernel}',
      cause: 'Older kernels lack what it is built on, unless the distribution has added it.',
      fix: 'upgrade the kernel, or choose another value for {field}',
    },
    zh: {
      problem: '{feature} 需要内核 {least}，主机为 {kernel}',
      cause: '较旧的内核缺少所需功能，除非发行版已移植。',
      fix: '升级内核，或为 {field} 选择其他值',
    },
  },
  KX_KERNEL_MODULE: {
    kind: 'preflight',
    en: {
      problem: 'kernel {kernel} has no module {module}, which {user} needs',
      cause: 'The module is neither loaded nor built in, and modprobe cannot find it.',
      fix: 'install the extra modules of this kernel (linux-modules-extra or kernel-modules-extra), or another kernel',
    },
    zh: {
      problem: '内核 {kernel} 没有 {user} 所需的模块 {module}',
      cause: '该模块未加载也未内置，modprobe 也找不到。',
      fix: '安装该内核的附加模块（linux-modules-extra 或 kernel-modules-extra），或更换内核',
    },
  },
  KX_IPVS_MODULES: {
    kind: 'preflight',
    en: {
      problem: 'proxyMode is ipvs, but kernel {kernel} has no {modules}',
      cause: 'kube-proxy would fall back to iptables or not start.',
      fix: 'install the extra modules of this kernel, or write kubernetes.proxyMode: iptables',
    },
    zh: {
      problem: 'proxyMode 为 ipvs，但内核 {kernel} 没有 {modules}',
      cause: 'kube-proxy 会退回 iptables 或无法启动。',
      fix: '安装该内核的附加模块，或写 kubernetes.proxyMode: iptables',
    },
  },
  KX_CGROUP_V1: {
    kind: 'preflight',
    en: {
      problem: 'the host runs cgroup v1, with which the kubelet of {version} does not start',
      cause: 'Since 1.35 the kubelet refuses cgroup v1 unless it is told otherwise.',
      fix: 'boot with systemd.unified_cgroup_hierarchy=1, or write failCgroupV1: false in kubernetes.kubelet.configuration',
    },
    zh: {
      problem: '主机使用 cgroup v1，{version} 的 kubelet 无法启动',
      cause: '自 1.35 起 kubelet 默认拒绝 cgroup v1。',
      fix: '以 systemd.unified_cgroup_hierarchy=1 启动，或在 kubernetes.kubelet.configuration 中写 failCgroupV1: false',
    },
  },
  KX_CGROUP_V1_AGING: {
    kind: 'preflight',
    en: {
      problem: 'the host runs cgroup v1, which Kubernetes 1.35 and later refuse',
      cause: 'Kubernetes has not developed cgroup v1 since 1.31.',
      fix: 'boot with systemd.unified_cgroup_hierarchy=1 before an upgrade to 1.35',
    },
    zh: {
      problem: '主机使用 cgroup v1，Kubernetes 1.35 及以后版本将拒绝',
      cause: 'Kubernetes 自 1.31 起不再发展 cgroup v1。',
      fix: '升级到 1.35 之前，以 systemd.unified_cgroup_hierarchy=1 启动',
    },
  },
  KX_CGROUP_DRIVER: {
    kind: 'preflight',
    en: {
      problem: 'kubelet.cgroupDriver is cgroupfs on a host where systemd manages cgroups',
      cause: 'Two managers of one tree disagree under memory pressure.',
      fix: 'remove kubernetes.kubelet.cgroupDriver, or write systemd',
    },
    zh: {
      problem: 'systemd 管理 cgroup 的主机上 kubelet.cgroupDriver 为 cgroupfs',
      cause: '同一棵树有两个管理者，在内存压力下会产生冲突。',
      fix: '删除 kubernetes.kubelet.cgroupDriver，或写 systemd',
    },
  },
  KX_CGROUP_CONTROLLERS: {
    kind: 'preflight',
    en: {
      problem: 'the cgroup controllers {missing} are off',
      cause: 'The kernel was booted without them (common on small boards: cgroup_disable=memory); the kubelet does not start.',
      fix: 'boot with cgroup_enable=memory cgroup_memory=1, or a kernel that has them',
    },
    zh: {
      problem: 'cgroup 控制器 {missing} 未启用',
      cause: '内核启动时未启用（小型开发板常见：cgroup_disable=memory）；kubelet 无法启动。',
      fix: '以 cgroup_enable=memory cgroup_memory=1 启动，或更换具备它们的内核',
    },
  },
  KX_SELINUX_ENFORCING: {
    kind: 'preflight',
    en: {
      problem: 'SELinux is enforcing',
      cause: 'Pods cannot use volumes of the host without a policy for them.',
      fix: 'nothing to do: kubexm makes it permissive, now and at boot',
    },
    zh: {
      problem: 'SELinux 处于 enforcing 模式',
      cause: '没有相应策略时 Pod 无法使用主机卷。',
      fix: '无需处理：kubexm 会将其设为 permissive（立即生效且重启后保持）',
    },
  },
  KX_SELINUX_KEPT: {
    kind: 'preflight',
    en: {
      problem: 'SELinux is enforcing and stays so, as the config says',
      cause: 'Container runtimes need a policy for it.',
      fix: 'install container-selinux on the host, or write preflight.disableSelinux: true',
    },
    zh: {
      problem: 'SELinux 处于 enforcing 模式，并按配置保持不变',
      cause: '容器运行时需要相应的策略。',
      fix: '在主机上安装 container-selinux，或写 preflight.disableSelinux: true',
    },
  },
  KX_NOT_YET: {
    kind: 'preflight',
    en: {
      problem: '{place}: this version of kubexm cannot do {what} yet',
      cause: 'The config may say more than the version at hand has learned to do.',
      fix: 'write {instead}, or use a newer version of kubexm',
    },
    zh: {
      problem: '{place}：当前版本的 kubexm 尚不支持 {what}',
      cause: '配置可以描述当前版本尚未实现的功能。',
      fix: '改写为 {instead}，或使用更新版本的 kubexm',
    },
  },
  KX_SWAP_ON: {
    kind: 'preflight',
    en: {
      problem: 'swap is on: {areas}',
      cause: 'The kubelet does not start with swap unless it is told to.',
      fix: 'nothing to do: kubexm turns it off, now and at boot',
    },
    zh: {
      problem: 'swap 已启用：{areas}',
      cause: '除非明确配置，kubelet 不会在启用 swap 时启动。',
      fix: '无需处理：kubexm 会将其关闭（立即生效且重启后保持）',
    },
  },
  KX_SWAP_KEPT: {
    kind: 'preflight',
    en: {
      problem: 'swap is on ({areas}) and the config says to leave it',
      cause: 'The kubelet does not start with swap unless it is told to.',
      fix: 'write preflight.disableSwap: true, or failSwapOn: false in kubernetes.kubelet.configuration, or run "swapoff -a" and take it out of /etc/fstab',
    },
    zh: {
      problem: 'swap 已启用（{areas}），而配置要求保留',
      cause: '除非明确配置，kubelet 不会在启用 swap 时启动。',
      fix: '写 preflight.disableSwap: true，或在 kubernetes.kubelet.configuration 中写 failSwapOn: false，或执行 "swapoff -a" 并从 /etc/fstab 中删除',
    },
  },
})
