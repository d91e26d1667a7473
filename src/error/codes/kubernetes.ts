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
})
