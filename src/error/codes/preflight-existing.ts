import { defineCodes } from '../define.ts'

/** What preflight finds about what is installed on a machine already. */
export const preflightExistingCodes = defineCodes({
  KX_FOREIGN_KUBERNETES: {
    kind: 'preflight',
    en: {
      problem: 'Kubernetes is on the host already and was not put there by kubexm: {traces}',
      cause: 'The host is, or was, part of another cluster.',
      fix: 'take it out of that cluster and run "kubeadm reset" on it, or remove what is named',
    },
    zh: {
      problem: '主机上已有并非由 kubexm 安装的 Kubernetes：{traces}',
      cause: '该主机是或曾经是其他集群的一部分。',
      fix: '将其移出原集群并执行 "kubeadm reset"，或删除上述内容',
    },
  },
  KX_FOREIGN_RUNTIME: {
    kind: 'preflight',
    en: {
      problem: '{runtime} is on the host already and was not put there by kubexm',
      cause: 'It shares sockets and files with what is to be installed, and kubexm does not overwrite what is not its own.',
      fix: 'remove {runtime} from the host, or use the containerd that is there: kubernetes.containerRuntime.containerd.existing: adopt',
    },
    zh: {
      problem: '主机上已有并非由 kubexm 安装的 {runtime}',
      cause: '它与将要安装的运行时共用套接字和文件，而 kubexm 不覆盖不属于自己的内容。',
      fix: '从主机上移除 {runtime}；或使用已有的 containerd：kubernetes.containerRuntime.containerd.existing: adopt',
    },
  },
  KX_RUNTIME_ADOPTED: {
    kind: 'preflight',
    en: {
      problem: '{runtime} is on the host already and will be used as it is',
      cause: 'The config says existing: adopt; version, configuration and registry mirrors of this host are then not those of the config.',
      fix: 'nothing to do; its CRI plugin must be on and its cgroup driver that of the kubelet, which is checked',
    },
    zh: {
      problem: '主机上已有 {runtime}，将原样使用',
      cause: '配置中写有 existing: adopt；该主机的版本、配置和镜像加速不再由本配置决定。',
      fix: '无需处理；其 CRI 插件须启用，cgroup 驱动须与 kubelet 一致，这些会被检查',
    },
  },
  KX_RUNTIME_CGROUP: {
    kind: 'preflight',
    en: {
      problem: 'the containerd of the host uses the cgroup driver {seen}, the kubelet will use {wanted}',
      cause: 'It was there before and is used as it is; with two different drivers no pod starts.',
      fix: 'write SystemdCgroup = {value} for runc in /etc/containerd/config.toml and restart containerd, or set containerRuntime.containerd.useSystemdCgroup',
    },
    zh: {
      problem: '主机上的 containerd 使用 cgroup 驱动 {seen}，而 kubelet 将使用 {wanted}',
      cause: '该 containerd 原已存在并被原样使用；两种驱动不同则任何 Pod 都无法启动。',
      fix: '在 /etc/containerd/config.toml 中为 runc 写 SystemdCgroup = {value} 并重启 containerd，或设置 containerRuntime.containerd.useSystemdCgroup',
    },
  },
  KX_OTHER_RUNTIME: {
    kind: 'preflight',
    en: {
      problem: '{runtime} is on the host as well; Kubernetes will use {wanted}',
      cause: 'Two container runtimes share memory and disk without knowing of each other.',
      fix: 'remove {runtime} if nothing needs it',
    },
    zh: {
      problem: '主机上还有 {runtime}；Kubernetes 将使用 {wanted}',
      cause: '两个容器运行时互不知情地共用内存和磁盘。',
      fix: '若不需要 {runtime}，请将其移除',
    },
  },
})
