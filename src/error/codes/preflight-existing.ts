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
  KX_OTHER_CLUSTER: {
    kind: 'preflight',
    en: {
      problem: '{hosts}: part of the cluster {seen}, not of {wanted} ({place})',
      cause: 'The host was made part of a cluster by kubexm, and that cluster has another name than the one of the config.',
      fix: 'delete {seen} with its own config first, or take the host out of this config; if it is this very cluster, write name: {seen}',
    },
    zh: {
      problem: '{hosts}：属于集群 {seen}，而不是 {wanted}（{place}）',
      cause: '该主机已由 kubexm 加入某个集群，而该集群的名称与配置中的不同。',
      fix: '先用原配置删除 {seen}，或将该主机移出本配置；若就是同一集群，请写 name: {seen}',
    },
  },
  KX_OTHER_AUTHORITY: {
    kind: 'preflight',
    en: {
      problem: '{hosts}: the certificates of {cluster} were issued by another authority than the one in {directory}',
      cause:
        'The cluster was created from another machine or directory, or its certificates here were removed: going on would replace every certificate by one that the rest of the cluster does not trust.',
      fix: 'run kubexm where the cluster was created, or bring the certs directory from there to {directory}; to begin anew, delete the cluster first',
    },
    zh: {
      problem: '{hosts}：{cluster} 的证书由另一个颁发机构签发，与 {directory} 中的不同',
      cause: '该集群是在其他机器或目录中创建的，或者本机的证书已被删除：继续执行会把所有证书替换为集群其余部分不信任的证书。',
      fix: '在创建该集群的位置运行 kubexm，或将那里的 certs 目录带到 {directory}；若要重新开始，请先删除集群',
    },
  },
  KX_KEPT_FIELD: {
    kind: 'preflight',
    en: {
      problem: '{place}: {field} is {wanted}, and the cluster has {seen}',
      cause:
        'A cluster keeps some of its properties for life, and others are changed by a command of their own, one node after another. What the hosts were made with counts, as they say it in /var/lib/kubexm/cluster.json.',
      fix: '{how}',
    },
    zh: {
      problem: '{place}：{field} 为 {wanted}，而集群现有 {seen}',
      cause: '集群的某些属性终身不变，另一些由专门的命令逐个节点更改。以主机创建时的值为准，见 /var/lib/kubexm/cluster.json。',
      fix: '{how}',
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
