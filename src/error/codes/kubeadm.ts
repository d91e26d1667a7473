import { defineCodes } from '../define.ts'

/** Making control planes and nodes with kubeadm. */
export const kubeadmCodes = defineCodes({
  KX_KUBEADM: {
    kind: 'step',
    en: {
      problem: '"kubeadm {verb}" failed in its phase {phase}: {why}',
      cause: 'kubeadm could not make the host part of the cluster. What it had done so far stays, and is gone on with.',
      fix: 'mend the cause that kubeadm or the component names, then run the same command with --resume',
    },
    zh: {
      problem: '"kubeadm {verb}" 在阶段 {phase} 失败：{why}',
      cause: 'kubeadm 未能将主机加入集群。已完成的部分会保留，并在此基础上继续。',
      fix: '解决 kubeadm 或组件所报告的原因，然后用 --resume 重新执行同一命令',
    },
  },
  KX_KUBEADM_PREFLIGHT: {
    kind: 'step',
    en: {
      problem: 'kubeadm refuses this host: {findings}',
      cause:
        "One of kubeadm's own checks failed before it changed anything: a port is taken, a directory is not empty, an image is missing.",
      fix: 'mend what is named; what you know to be harmless may be ignored with spec.preflight.ignoreKubeadmErrors: [{checks}]',
    },
    zh: {
      problem: 'kubeadm 拒绝此主机：{findings}',
      cause: 'kubeadm 在做任何更改之前的自检未通过：端口被占用、目录非空或缺少镜像等。',
      fix: '解决所列问题；确认无害的检查可以用 spec.preflight.ignoreKubeadmErrors: [{checks}] 忽略',
    },
  },
  KX_KUBEADM_NO_API: {
    kind: 'step',
    en: {
      problem: 'no API server answers this host: asked {urls}',
      cause: 'A host joins through the API server of a master, and none of them can be reached from it, or none is ready.',
      fix: 'see whether the masters run, whether this host reaches their port, and whether the clocks agree; then use --resume',
    },
    zh: {
      problem: '没有 API server 响应此主机：已尝试 {urls}',
      cause: '主机通过某个 master 的 API server 加入集群，但它们都无法访问或尚未就绪。',
      fix: '检查各 master 是否运行、此主机能否访问其端口、时钟是否一致；然后使用 --resume',
    },
  },
  KX_KUBEADM_NODE_MISSING: {
    kind: 'step',
    en: {
      problem: 'the kubelet of {node} runs, but the node has not registered',
      cause: 'The kubelet has its credentials but does not reach the API server, or its node is refused.',
      fix: 'see the log of the kubelet: journalctl -u kubelet; then use --resume',
    },
    zh: {
      problem: '{node} 的 kubelet 已运行，但节点未注册',
      cause: 'kubelet 已有凭据，但无法访问 API server，或其节点被拒绝。',
      fix: '查看 kubelet 日志：journalctl -u kubelet；然后使用 --resume',
    },
  },
  KX_KUBEADM_ETCD_MEMBER: {
    kind: 'rollback',
    en: {
      problem: 'the etcd member of {host} is still part of the cluster: {why}',
      cause: 'A master that is taken back leaves etcd first. A member that is gone but still counted takes a vote from the others.',
      fix: 'remove it on another master: etcdctl member list, then etcdctl member remove with its id',
    },
    zh: {
      problem: '{host} 的 etcd 成员仍属于集群：{why}',
      cause: '撤回 master 之前要先退出 etcd。已消失却仍被计入的成员会占用一票。',
      fix: '在另一台 master 上移除它：先 etcdctl member list，再用其 id 执行 etcdctl member remove',
    },
  },
})
