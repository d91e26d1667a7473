import { defineCodes } from '../define.ts'

/** Nodes and the control plane, whichever way they are installed. */
export const kubernetesCodes = defineCodes({
  KX_API_SILENT: {
    kind: 'step',
    en: {
      problem: 'the API of {cluster} cannot be asked: {why}',
      cause:
        'No API server of the cluster answers the administrator: none is up, etcd behind them is down, or the cluster was not created.',
      fix: 'run "kubexm status" with the same config: it says what is wrong with each API server and each member of etcd',
    },
    zh: {
      problem: '无法访问 {cluster} 的 API：{why}',
      cause: '集群中没有 API 服务器应答管理员：均未运行、其后的 etcd 已停止，或集群尚未创建。',
      fix: '使用相同配置运行 "kubexm status"：它会说明每个 API 服务器和每个 etcd 成员的问题',
    },
  },
  KX_NETWORK_LEFT: {
    kind: 'preflight',
    en: {
      problem: 'there is no network plugin yet: nothing but pods of the host network can run on {nodes}',
      cause: 'network.plugin is none: the network of pods is left to you, and a node without one is not Ready.',
      fix: 'install a network plugin that gives pods addresses of {ranges}; nodes become Ready and CoreDNS starts by themselves then',
    },
    zh: {
      problem: '尚无网络插件：{nodes} 上只能运行主机网络的 Pod',
      cause: 'network.plugin 为 none：Pod 网络由您自行安装，没有网络的节点不会就绪。',
      fix: '请安装为 Pod 分配 {ranges} 内地址的网络插件；此后节点会自动就绪，CoreDNS 会自动启动',
    },
  },
  KX_SERVING_CERTIFICATE: {
    kind: 'step',
    en: {
      problem: 'the API server cannot reach the kubelet of {nodes}: no serving certificate',
      cause:
        'With RotateKubeletServerCertificate kubelets request their serving certificates from the cluster, and kubexm approves only requests that a node makes for its own names and addresses.',
      fix: 'look at "kubectl get csr" and at the log of the kubelet; if a node has further addresses, list them in its internalAddress, then use --resume',
    },
    zh: {
      problem: 'API 服务器无法访问 {nodes} 的 kubelet：没有服务证书',
      cause: '启用 RotateKubeletServerCertificate 时 kubelet 向集群申请服务证书，kubexm 只批准节点为其自身名称和地址提出的申请。',
      fix: '查看 "kubectl get csr" 和 kubelet 日志；若节点还有其他地址，请写入其 internalAddress，然后使用 --resume',
    },
  },
  KX_KUBECONFIG_UNUSABLE: {
    kind: 'step',
    en: {
      problem: '{file} cannot be used as a kubeconfig: {why}',
      cause:
        'With --merge-kubeconfig the cluster is added to the kubeconfig of whoever runs kubexm, and only to one that can be read and written as it is.',
      fix: 'mend the file, which was not changed, or name another one as the first of KUBECONFIG; the cluster itself is there, and the run goes on with --resume',
    },
    zh: {
      problem: '{file} 不能用作 kubeconfig：{why}',
      cause: '使用 --merge-kubeconfig 时，集群会加入运行 kubexm 的用户的 kubeconfig，且仅当该文件可按原样读写时才会加入。',
      fix: '修复该文件（未做任何更改），或在 KUBECONFIG 的第一项中指定其他文件；集群本身已就绪，可用 --resume 继续',
    },
  },
  KX_KUBECONFIG_FOREIGN: {
    kind: 'step',
    en: {
      problem: '{file} knows another cluster as {name}',
      cause:
        'An entry of that name is there that leads to a cluster with another certificate authority; kubexm overwrites nothing of others.',
      fix: 'rename it with "kubectl config rename-context", or remove its context, cluster and user, then use --resume; the file was not changed',
    },
    zh: {
      problem: '{file} 中的 {name} 指向另一个集群',
      cause: '已存在同名条目，且指向使用其他证书颁发机构的集群；kubexm 不会覆盖他人的内容。',
      fix: '使用 "kubectl config rename-context" 重命名，或删除其 context、cluster 和 user，然后使用 --resume；该文件未做更改',
    },
  },
  KX_KUBECONFIG_LOCKED: {
    kind: 'step',
    en: {
      problem: '{file} is being written by another program: {lock} is there',
      cause: 'kubectl and kubexm make this file while they write the kubeconfig. One that was killed meanwhile has left it behind.',
      fix: 'if no such program runs, remove {lock}, then use --resume',
    },
    zh: {
      problem: '{file} 正被其他程序写入：存在 {lock}',
      cause: 'kubectl 和 kubexm 在写入 kubeconfig 时会创建该文件；若程序中途被终止，则会遗留。',
      fix: '若没有此类程序在运行，请删除 {lock}，然后使用 --resume',
    },
  },
})
